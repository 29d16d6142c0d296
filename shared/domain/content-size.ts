import { type ErrorDetail, invalid } from '../core/errors/errors.ts';

/** An item of the table has 400 KB; the rest of it is names, descriptions and what the service adds. */
const contentBytesMax = 300_000;

/**
 * Limits what the author of an item writes freely.
 * @param what The item, such as `an agent`. @param members JSON texts. @param bytesMax UTF-8 bytes of all of them.
 * @throws 400 that names the largest member.
 */
export function assertFits<Name extends string>(
  what: string,
  members: Record<Name, string>,
  bytesMax = contentBytesMax,
): void {
  const sizes = Object.entries<string>(members).map(([path, text]) => ({
    path,
    bytes: Buffer.byteLength(text),
  }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= bytesMax) return;
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  const names = sizes.map(({ path }) => path);
  const listed = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
  const message = `${listed} of ${what} have at most ${bytesMax} bytes of JSON together, not ${total}. Shorten the largest of them, ${largest?.path}`;
  throw invalid([{ path: largest?.path, code: 'TOO_LARGE', message } as ErrorDetail]);
}
