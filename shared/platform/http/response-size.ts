/** A Lambda may answer 6,291,556 bytes, with its head. */
export const responseBytesMax = 5_000_000;

/** What a value takes of that: the body is a text within the answer's JSON, whose quotes are escaped once more. */
export const responseBytes = (value: unknown) =>
  Buffer.byteLength(JSON.stringify(JSON.stringify(value) ?? '')) - '""'.length;
