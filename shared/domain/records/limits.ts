import type * as z from 'zod';
import { isDeeperThan, nestingLevelsMax } from '../../core/json/nesting.ts';
import { Metadata, RecordMessages } from './record.ts';

/** Together with names and keys, these stay below the 400 KB of a DynamoDB item. */
export const metadataBytesMax = 256 * 1024;
const messagesBytesMax = 128 * 1024;

export const jsonBytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '');

function oversize(value: unknown, what: string, bytesMax: number): string | undefined {
  if (isDeeperThan(nestingLevelsMax, value))
    return `The ${what} may be nested at most ${nestingLevelsMax} levels deep`;
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

export const NewMetadata = Metadata.check(within('metadata', metadataBytesMax));
export const NewMessages = RecordMessages.check(within('messages', messagesBytesMax));
