import type { EditedRoute } from '../../api/edited-routes.ts';
import { fieldOf } from '../schema-form/fields.ts';
import { type JsonObject, type JsonSchema, resolved } from '../schema-form/schema.ts';

/**
 * A change keeps what it does not name, so a text that somebody cleared is sent as an empty one. Of other values only
 * null takes them away, which the form sends where the schema has it.
 */
export function withCleared(
  route: EditedRoute,
  schema: JsonSchema,
  before: JsonObject | undefined,
  body: JsonObject,
): JsonObject {
  if (!before || route.startsWith('POST ')) return body;
  const { properties = {} } = resolved(schema, schema);
  const isText = (name: string) => fieldOf(resolved(properties[name] ?? {}, schema), schema).kind === 'text';
  const cleared = Object.keys(before).filter((name) => before[name] && !(name in body) && isText(name));
  return { ...Object.fromEntries(cleared.map((name) => [name, ''])), ...body };
}
