import { isJsonObject, tryParseJson } from '../../core/json/json.ts';
import type { JsonSchema } from '../ports/model-port.ts';

/**
 * What a model means by a value that a schema does not allow: models write a list, an object, a number or a boolean as a text once
 * more, and null for what is optional. Everything else stays. Only plain types are read, and what a schema allows is kept (D134).
 */
export function coerceValue(schema: JsonSchema, value: unknown): unknown {
  const read = typeof value === 'string' ? readAs(schema, value) : value;
  if (Array.isArray(read)) return coerceItems(schema, read);
  return isJsonObject(read) ? coerceMembers(schema, read) : read;
}

function readAs(schema: JsonSchema, text: string): unknown {
  const types = listTypes(schema);
  if (types === undefined || types.includes('string')) return text;
  const inside = tryParseJson(text);
  return inside !== undefined && types.some((type) => isOfType(inside, type)) ? inside : text;
}

function coerceItems({ items }: JsonSchema, list: unknown[]): unknown[] {
  return isJsonObject(items) ? list.map((each) => coerceValue(items, each)) : list;
}

function coerceMembers(schema: JsonSchema, value: Record<string, unknown>): Record<string, unknown> {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return value;
  const needed = Array.isArray(required) ? required : [];
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const memberSchema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!isJsonObject(memberSchema)) return [[name, member]];
    const isAbsent =
      member === null && !needed.includes(name) && listTypes(memberSchema)?.includes('null') === false;
    return isAbsent ? [] : [[name, coerceValue(memberSchema, member)]];
  });
  return Object.fromEntries(members);
}

const listTypes = ({ type }: JsonSchema): unknown[] | undefined =>
  type === undefined ? undefined : [type].flat();

/** Bigints are whole numbers that no double holds. */
export function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value) || typeof value === 'bigint';
    case 'number':
      return Number.isFinite(value) || typeof value === 'bigint';
    default:
      return (type === 'string' || type === 'boolean') && typeof value === type;
  }
}
