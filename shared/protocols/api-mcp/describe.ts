import type { ApiOperation, Operations } from './operations.ts';

type Json = Record<string, unknown>;

/** A description has room for so much; further schemas are named, and can be asked for. */
const schemaCharactersMax = 24_000;

/** What a model needs to call an operation. @param wanted Names of schemas to describe instead of those that it names first */
export function description(
  operation: ApiOperation,
  { schemas }: Pick<Operations, 'schemas'>,
  wanted: readonly string[] = [],
): Json {
  const { id, method, path, summary, description: about, destructive, requestBody } = operation;
  const [mediaType] = Object.keys(requestBody?.content ?? {});
  const content = requestBody?.content[mediaType ?? ''];
  const response = returned(operation);
  const shown = wanted.length > 0 ? wanted : namesIn([content?.schema, response]);
  return {
    id,
    request: `${method} ${path}`,
    summary,
    description: about,
    destructive,
    ...parameters(operation, 'path'),
    ...parameters(operation, 'query'),
    ...(content !== undefined && { body: content.schema, bodyRequired: requestBody?.required }),
    ...(mediaType === 'multipart/form-data' && {
      note: 'This operation takes files, which call_operation cannot send',
    }),
    ...(response !== undefined && { returns: response }),
    ...within(shown, schemas),
  };
}

function parameters({ parameters: all }: ApiOperation, place: 'path' | 'query'): Json {
  const those = all.filter((each) => each.in === place);
  if (those.length === 0) return {};
  const shown = those.map(({ name, required, description: about, schema }) => [
    name,
    { ...schema, ...(about && { description: about }), ...(place === 'query' && required && { required }) },
  ]);
  return { [place]: Object.fromEntries(shown) };
}

/** The schema of what a successful call returns. */
function returned({ responses }: ApiOperation): unknown {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1];
  const content = (success?.content ?? {}) as Record<string, { schema?: unknown }>;
  return content['application/json']?.schema;
}

/** The schemas with these names, and those that they name, as far as there is room. */
function within(names: readonly string[], schemas: Operations['schemas']): Json {
  const shown: Json = {};
  const left = [...names];
  const more: string[] = [];
  let characters = 0;
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
    if (!schema || Object.hasOwn(shown, name) || more.includes(name)) continue;
    const length = JSON.stringify(schema).length;
    if (characters + length > schemaCharactersMax) {
      more.push(name);
      continue;
    }
    characters += length;
    shown[name] = schema;
    left.push(...namesIn(schema));
  }
  return {
    ...(Object.keys(shown).length > 0 && { schemas: shown }),
    ...(more.length > 0 && { moreSchemas: more }),
  };
}

function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member.split('/').at(-1) ?? ''] : namesIn(member),
  );
}
