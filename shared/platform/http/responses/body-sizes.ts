import { clientJson } from '../../../core/json/exact-json.ts';
/** Limits of a Lambda's event and answer as JSON. Both hold the body as a string, so quotes count twice. */
export const eventBytesMax = 6_291_456;
export const answerBytesMax = 6_291_556;

/** API Gateway's limit of the request line and the headers together. */
export const maxHeaderSize = 10_240;

/** What a streamed response may have. It is not wrapped in JSON. */
export const streamedBytesMax = 200 * 1024 * 1024;

/** Escaped. The rest of the event holds the request line and headers and the authorizer's context. */
export const requestBytesMax = 6_000_000;

/** The escaped size of a list in a response. The rest of the answer holds the other members and the headers. */
export const responseBytesMax = 5_000_000;

/** The escaped size of a JSON body. The rest of the answer holds the headers. */
const bodyBytesMax = 6_250_000;

/** For documents: 5,000,000 bytes are `5 MB`. */
export const megabytes = (bytes: number) => `${bytes / 1_000_000} MB`;

const [quote, backslash, blank] = [0x22, 0x5c, 0x20];
const shortEscapes = new Set([...'\b\t\n\f\r'].map((character) => character.charCodeAt(0)));

/** The size of a text as the content of a JSON string, in bytes of UTF-8. @param text Well-formed Unicode. */
export function countEscapedBytes(text: string): number {
  let bytes = Buffer.byteLength(text);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit === quote || unit === backslash) bytes++;
    else if (unit < blank) bytes += shortEscapes.has(unit) ? 1 : 5;
  }
  return bytes;
}

export const countResponseBytes = (value: unknown) => countEscapedBytes(clientJson(value) ?? '');

/** Whether an answer has room for this JSON text as its body. No character of JSON text takes more than 3 bytes. */
export const fitsAnswer = (json: string) =>
  json.length * 3 <= bodyBytesMax || countEscapedBytes(json) <= bodyBytesMax;

/** The first values that fit a number of bytes of a response. */
export function takeWithinBytes<T>(values: readonly T[], bytesMax: number): T[] {
  let bytes = 0;
  const end = values.findIndex((value) => {
    bytes += countResponseBytes(value) + ','.length;
    return bytes > bytesMax;
  });
  return end < 0 ? [...values] : values.slice(0, end);
}

/** How many values every page of a list can have: it may be read from either end. */
export const countFitting = (values: readonly unknown[]): number =>
  Math.min(
    takeWithinBytes(values, responseBytesMax).length,
    takeWithinBytes(values.toReversed(), responseBytesMax).length,
  );
