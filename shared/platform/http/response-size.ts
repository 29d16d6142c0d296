/** Below the limit of a Lambda response: 6,291,556 bytes, including its headers. */
export const responseBytesMax = 5_000_000;

/**
 * The size of a value in the response: the body is a string inside the response JSON, so its quotes are escaped twice.
 */
export const responseBytes = (value: unknown) =>
  Buffer.byteLength(JSON.stringify(JSON.stringify(value) ?? '')) - '""'.length;
