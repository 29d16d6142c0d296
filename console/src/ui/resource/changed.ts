import { hashKey } from '@tanstack/react-query';
import { operations } from '../../../../packages/client/src/client.ts';
import type { EditedOperation } from '../../api/edited-operations.ts';
import { schemaField } from '../schema-form/fields.ts';
import { type JsonObject, type JsonSchema, resolved } from '../values/schema.ts';

/**
 * The body of a request. A change keeps what it does not name: only what somebody changed is sent, so that what others
 * changed meanwhile stays, and a text that somebody cleared is sent as an empty one. Of other values only null takes
 * them away, which the form sends where the schema has it.
 *
 * @param hidden Members that nobody edits: always sent.
 * @returns undefined if nothing was changed.
 */
export function bodyToSend(
  operation: EditedOperation,
  schema: JsonSchema,
  before: JsonObject | undefined,
  body: JsonObject,
  hidden: readonly string[] = [],
): JsonObject | undefined {
  if (!before || operations[operation].method === 'POST') return body;
  const { properties = {}, required = [] } = resolved(schema, schema);
  const isText = (name: string) =>
    schemaField(resolved(properties[name] ?? {}, schema), schema).kind === 'text';
  const cleared = Object.keys(before).filter((name) => before[name] && !(name in body) && isText(name));
  const edited = { ...Object.fromEntries(cleared.map((name) => [name, ''])), ...body };
  const isChanged = (name: string) => hashKey([before[name]]) !== hashKey([edited[name]]);
  const changed = Object.keys(edited).filter(isChanged);
  if (changed.length === 0) return undefined;
  const sent = new Set([...changed, ...required, ...hidden]);
  return Object.fromEntries(Object.entries(edited).filter(([name]) => sent.has(name)));
}
