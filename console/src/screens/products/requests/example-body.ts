import { isObject, type JsonObject } from '../../../ui/values/schema.ts';

const depthMax = 5;

/** A value that a schema allows, made of its examples where it has some. Somebody else wrote it: it may be anything. */
function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > depthMax) return 'text';
  const { examples, enum: allowed, oneOf, anyOf, type, format } = schema;
  if ('example' in schema) return schema.example;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (Array.isArray(allowed) && allowed.length > 0) return allowed[0];
  const [variant] = [oneOf ?? anyOf].flat();
  if (isObject(variant)) return exampleOf(variant, depth + 1);
  const [kind] = [type].flat();
  if (kind === 'object' || isObject(schema.properties)) return exampleBody(schema, depth + 1);
  if (kind === 'array') return [exampleOf(schema.items, depth + 1)];
  if (kind === 'integer' || kind === 'number') return typeof schema.minimum === 'number' ? schema.minimum : 1;
  if (kind === 'boolean') return true;
  if (kind === 'null') return null;
  return formats[String(format)] ?? 'text';
}

const formats: Record<string, string> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
};

/** The members of an example: the required ones, or all if none is. */
export function exampleBody(schema: unknown, depth = 0): JsonObject {
  if (!isObject(schema) || !isObject(schema.properties)) return {};
  const { properties, required } = schema;
  const named = Array.isArray(required) && required.length > 0 ? required : Object.keys(properties);
  const members = named.map((name) => [String(name), exampleOf(properties[String(name)], depth)] as const);
  return Object.fromEntries(members);
}
