declare module '*.css';

declare module 'virtual:step-schemas' {
  export const schemas: import('./ui/schema-form/schema').JsonSchema;
}
declare module 'virtual:body-schemas' {
  export const schemas: Record<
    import('./api/edited-routes').EditedRoute,
    import('./ui/schema-form/schema').JsonSchema
  >;
}
