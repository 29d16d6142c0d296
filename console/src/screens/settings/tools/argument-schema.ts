import { isObject, type JsonObject, type JsonSchema } from '../../../ui/values/schema.ts';

const scalars = ['string', 'number', 'integer', 'boolean'];
const compound = ['$ref', '$dynamicRef', 'const', 'oneOf', 'anyOf', 'allOf', 'not', 'if'];

/**
 * The schema of a tool's arguments, if a form can be made of it. Somebody else wrote it: where it is more than plain
 * members, its references may go in a circle.
 */
export function argumentFormSchema(schema: JsonObject): JsonSchema | undefined {
  const { properties } = schema;
  return isPlain(schema) && isObject(properties) && Object.keys(properties).length > 0
    ? (schema as JsonSchema)
    : undefined;
}

function isPlain(schema: unknown): boolean {
  if (!isObject(schema) || compound.some((keyword) => keyword in schema)) return false;
  const { type, properties = {}, items } = schema;
  if (type === 'object') return isObject(properties) && Object.values(properties).every(isPlain);
  return type === 'array' ? isPlain(items) : scalars.includes(type as string);
}
