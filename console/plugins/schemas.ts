import type { Plugin } from 'vite';
import { editedOperations } from '../src/api/edited-operations.ts';
import { bodySchema, stepEffects, stepSchemas } from './api-document.ts';

const modules: Record<string, () => unknown> = {
  /** The JSON Schema of the config of each step type. */
  'virtual:step-schemas': stepSchemas,
  /** Whether a step of each type has effects. */
  'virtual:step-effects': stepEffects,
  /** The JSON Schema of the body of each operation that the console edits with a form. */
  'virtual:body-schemas': () =>
    Object.fromEntries(editedOperations.map((operation) => [operation, bodySchema(operation)])),
};

/** Modules with schemas of the API, from the same declarations as `GET /openapi.json`. */
export const schemaModules = (): Plugin => ({
  name: 'schemas',
  resolveId: (id) => (id in modules ? `\0${id}` : undefined),
  load(id) {
    const content = modules[id.slice(1)];
    // Parsing JSON is faster than parsing an object literal.
    return content && `export const schemas = JSON.parse(${JSON.stringify(JSON.stringify(content()))});`;
  },
});
