import { crc32 } from 'node:zlib';

/**
 * A message of `application/vnd.amazon.eventstream`: two lengths and their CRC32, headers, payload, CRC32 of all. See
 * https://smithy.io/2.0/aws/amazon-eventstream.html.
 */
export function eventStreamMessage(headers: Record<string, string>, payload: string): Uint8Array {
  const encoded = Buffer.concat(Object.entries(headers).map(([name, value]) => headerOf(name, value)));
  const body = Buffer.from(payload);
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(encoded.length + body.length + 16, 0);
  prelude.writeUInt32BE(encoded.length, 4);
  const message = Buffer.concat([prelude, checksum(prelude), encoded, body]);
  return Buffer.concat([message, checksum(message)]);
}

const textType = 7;

function headerOf(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([Buffer.byteLength(name)]),
    Buffer.from(name),
    Buffer.from([textType]),
    length,
    Buffer.from(value),
  ]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
