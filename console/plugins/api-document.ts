import { groups } from '../../functions/index.ts';
import { operations } from '../../packages/client/src/client.ts';
import { loadOnce } from '../../shared/core/concurrency/load-once.ts';
import { stepTypes } from '../../shared/domain/flows/step-types/index.ts';
import { openApi } from '../../shared/platform/http/openapi.ts';
import type { EditedOperation } from '../src/api/edited-operations.ts';

type Json = Record<string, unknown>;

export const loadApiDocument = loadOnce(
  () =>
    openApi(groups) as unknown as {
      paths: Record<string, Record<string, Json>>;
      components: { schemas: Record<string, Json> };
    },
);

const prefix = '#/components/schemas/';

/** A schema with every reference of it under `$defs`. */
function selfContained(schema: Json): Json {
  const defs: Record<string, Json> = {};
  function visit(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref } = value as { $ref?: unknown };
    if (typeof $ref === 'string' && $ref.startsWith(prefix)) {
      const name = $ref.slice(prefix.length);
      if (!(name in defs)) {
        defs[name] = {};
        defs[name] = visit(loadApiDocument().components.schemas[name]) as Json;
      }
      return { ...(value as Json), $ref: `#/$defs/${name}` };
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, visit(each)]));
  }
  return { ...(visit(schema) as Json), $defs: defs };
}

export function bodySchema(id: EditedOperation): Json {
  const { method, path } = operations[id];
  const operation = loadApiDocument().paths[path]?.[method.toLowerCase()] as
    | { requestBody?: { content?: Record<string, { schema: Json }> } }
    | undefined;
  const schema = operation?.requestBody?.content?.['application/json']?.schema;
  if (!schema) throw new Error(`${id} has no JSON body`);
  return selfContained(schema);
}

/** The schema of a step of any type; `$defs` has one for each type. */
export const stepSchemas = (): Json =>
  selfContained(loadApiDocument().components.schemas.FlowStepInput ?? {});

/** Of each step type, whether it has effects outside of the run: it sends, stores, asks another service, or costs. */
export const stepEffects = (): Record<string, boolean> =>
  Object.fromEntries(Object.values(stepTypes).map(({ type, effects }) => [type, effects]));
