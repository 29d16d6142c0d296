declare module '*.css';

declare module 'virtual:step-schemas' {
  export const schemas: import('./ui/values/schema.ts').JsonSchema;
}
declare module 'virtual:step-effects' {
  export const schemas: Record<string, boolean>;
}
declare module 'virtual:body-schemas' {
  export const schemas: Record<
    import('./api/edited-operations').EditedOperation,
    import('./ui/values/schema.ts').JsonSchema
  >;
}
