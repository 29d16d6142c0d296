import { groups } from '../../functions/index.ts';
import { loadOnce } from '../../shared/core/concurrency/load-once.ts';
import { stepTypes } from '../../shared/domain/flows/step-types/index.ts';
import { openApi } from '../../shared/platform/http/openapi/openapi.ts';

type Json = Record<string, unknown>;

export const apiDocument = loadOnce(
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
        defs[name] = visit(apiDocument().components.schemas[name]) as Json;
      }
      return { ...(value as Json), $ref: `#/$defs/${name}` };
    }
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, visit(each)]));
  }
  return { ...(visit(schema) as Json), $defs: defs };
}

/** @param route As `POST /v1/secrets`. */
export function bodySchema(route: string): Json {
  const [method = '', path = ''] = route.split(' ');
  const operation = apiDocument().paths[path]?.[method.toLowerCase()] as
    | { requestBody?: { content?: Record<string, { schema: Json }> } }
    | undefined;
  const schema = operation?.requestBody?.content?.['application/json']?.schema;
  if (!schema) throw new Error(`${route} has no JSON body`);
  return selfContained(schema);
}

/** The schema of a step of any type; `$defs` has one for each type. */
export const stepSchemas = (): Json => selfContained(apiDocument().components.schemas.FlowStepInput ?? {});

/** Of each step type, whether it has effects outside of the run: it sends, stores, asks another service, or costs. */
export const stepEffects = (): Record<string, boolean> =>
  Object.fromEntries(Object.values(stepTypes).map(({ type, effects }) => [type, effects]));
