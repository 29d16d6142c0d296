import type * as z from 'zod';
import { isDeeperThan, levelsMax } from '../../core/nesting.ts';
import { responseBytes } from '../../platform/http/response-size.ts';
import { Metadata, RecordMessages } from './record.ts';

/** Together with names and keys these stay below the 400 KB that an item of the table may have. */
export const metadataBytesMax = 256 * 1024;
export const messagesBytesMax = 128 * 1024;

/** How many bytes a value takes as JSON. */
export const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

/** What is wrong with a value's size, said to the one who sent it. */
export function oversize(value: unknown, what: string, bytesMax: number): string | undefined {
  if (isDeeperThan(levelsMax, value)) return `The ${what} may be nested ${levelsMax} levels deep at most`;
  const bytes = jsonBytes(value);
  if (bytes <= bytesMax) return undefined;
  return `The ${what} may have ${bytesMax} bytes (${bytesMax / 1024} KB) of JSON at most; this has ${bytes}`;
}

const within =
  <T>(what: string, bytesMax: number) =>
  (context: z.core.ParsePayload<T>) => {
    const message = oversize(context.value, what, bytesMax);
    if (message) {
      context.issues.push({ code: 'custom', params: { code: 'TOO_LARGE' }, message, input: context.value });
    }
  };

/** Free-form values as they are taken from outside. */
export const NewMetadata = Metadata.check(within('metadata', metadataBytesMax));
export const NewMessages = RecordMessages.check(within('messages', messagesBytesMax));

/** The first of some values that an answer has room for. */
export function firstWithin<T>(values: readonly T[], bytesMax: number): T[] {
  let bytes = 0;
  const end = values.findIndex((value) => {
    bytes += responseBytes(value);
    return bytes > bytesMax;
  });
  return end < 0 ? [...values] : values.slice(0, end);
}
