import type * as z from 'zod';
import { isDeeperThan, levelsMax } from '../../core/json/nesting.ts';
import { Metadata, RecordMessages } from './record.ts';

/** Together with names and keys, these stay below the 400 KB of a DynamoDB item. */
export const metadataBytesMax = 256 * 1024;
const messagesBytesMax = 128 * 1024;

/** The size of a value as JSON, in bytes. */
export const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The problem with a value's size, as a message for the caller. */
function oversize(value: unknown, what: string, bytesMax: number): string | undefined {
  if (isDeeperThan(levelsMax, value)) return `The ${what} may be nested at most ${levelsMax} levels deep`;
  const bytes = jsonBytes(value);
  if (bytes <= bytesMax) return undefined;
  return `The ${what} may have at most ${bytesMax} bytes (${bytesMax / 1024} KB) of JSON; this has ${bytes}`;
}

const within =
  <T>(what: string, bytesMax: number) =>
  (context: z.core.ParsePayload<T>) => {
    const message = oversize(context.value, what, bytesMax);
    if (message) {
      context.issues.push({ code: 'custom', params: { code: 'TOO_LARGE' }, message, input: context.value });
    }
  };

/** Validates the free-form values of requests. */
export const NewMetadata = Metadata.check(within('metadata', metadataBytesMax));
export const NewMessages = RecordMessages.check(within('messages', messagesBytesMax));
