import { isStated } from '../core/defined.ts';
import { isJsonObject } from '../core/json/json.ts';
import type { EventJson } from './net/readable-events.ts';
import { readStatedError } from './stated-error.ts';

/*
 * What servers of JSON-RPC write otherwise than the protocol says, for MCP and A2A: their SDKs refuse a whole answer for one
 * member. What is of one protocol alone stands in the fetch of its client (`guarded-fetch.ts`).
 */

/** Gives an answer the id of its request, and its error the form that libraries read. An error may come before the id was read. */
export function mendAnswer(message: EventJson, id: unknown): void {
  const isOther = isStated(message.id) && String(message.id) !== String(id);
  if (id !== undefined && !isOther) message.id = id;
  if (isStated(message.error)) message.error = rpcError(message.error);
}

export function dropNulls(target: EventJson): void {
  for (const [name, value] of Object.entries(target)) if (value === null) delete target[name];
}

const unknownError = -32_000;

/** With the words of the server in whatever form they are. */
function rpcError(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data } = isJsonObject(error) ? error : {};
  const words = typeof message === 'string' && message !== '' ? message : findWords(error);
  const more = findWords(data);
  return {
    code: Number.isInteger(code) ? (code as number) : unknownError,
    message: more === '' || words.includes(more) ? words || 'no text' : `${words || 'no text'}: ${more}`,
    ...(isStated(data) && { data }),
  };
}

const findWords = (value: unknown): string => (value ? (readStatedError(value).words ?? '') : '');
