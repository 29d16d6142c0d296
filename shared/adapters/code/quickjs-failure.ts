import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';

/** A program ran out of memory, so its runtime cannot be freed. */
export class OutOfMemory extends Error {}

/** More than is shown, which is cut once secrets are masked: a part of a value is not recognised. */
const wordsMax = 10_000;

const overflow = 'InternalError: stack overflow';
export const threwNull = 'failed: null';

/** An error as text: its message and its line in the script. @throws OutOfMemory */
export function scriptFailure(context: QuickJSContext, error: QuickJSHandle): { error: string } {
  if (isPromise(context, error)) return { error: 'failed: it threw a promise' };
  const thrown: unknown = context.dump(error);
  const { name, message, stack } = (Object(thrown) === thrown ? thrown : {}) as Record<string, unknown>;
  if (name === 'InternalError' && message === 'out of memory') throw new OutOfMemory();
  // A script can throw any value, and set any members of an error.
  const isError = typeof message === 'string' && message !== '';
  const words = isError ? `${typeof name === 'string' ? name : 'Error'}: ${message}` : toWords(thrown);
  const line = typeof stack === 'string' ? /script:(\d+)/.exec(stack)?.[1] : undefined;
  // Without a line of the script, the error comes from serialising its result.
  if (words === overflow && !line) return { error: 'returned a value that nests too deeply' };
  return { error: `failed: ${words.slice(0, wordsMax)}${line ? ` (line ${line})` : ''}` };
}

/** Dumping a promise would free its handles twice. */
function isPromise(context: QuickJSContext, value: QuickJSHandle): boolean {
  const state = context.getPromiseState(value);
  if (state.type === 'fulfilled' && state.notAPromise) return false;
  if (state.type === 'fulfilled') state.value.dispose();
  if (state.type === 'rejected') state.error.dispose();
  return true;
}

const toWords = (thrown: unknown): string =>
  (typeof thrown === 'bigint' ? undefined : JSON.stringify(thrown)) ?? String(thrown);
