import { isJsonObject } from '../core/json/json.ts';
import { statedError } from './stated-error.ts';

const unknownError = -32_000;

/** An error of JSON-RPC as libraries read it, with the words of the server in whatever form they are. */
export function rpcError(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data } = isJsonObject(error) ? error : {};
  const words = typeof message === 'string' && message !== '' ? message : wordsIn(error);
  const more = wordsIn(data);
  return {
    code: Number.isInteger(code) ? (code as number) : unknownError,
    message: more === '' || words.includes(more) ? words || 'no text' : `${words || 'no text'}: ${more}`,
    ...(data !== undefined && data !== null && { data }),
  };
}

const wordsIn = (value: unknown): string => (value ? (statedError(value).words ?? '') : '');
