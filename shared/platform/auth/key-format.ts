import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type KeyEnvironment = 'production' | 'test';

const prefixes = { production: 'tv_live_', test: 'tv_test_', 'setup-link': 'tv_setup_' } as const;
const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^(tv_(?:live|test|setup)_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

const toBase62 = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = base62[Number(rest % 62n)] + text;
  return text;
};
const checksum = (text: string) => toBase62(BigInt(crc32(text)), 6);

/**
 * A prefix (`tv_live_`, `tv_test_`, or `tv_setup_` for the token of a setup link), 32 random bytes in base 62, and a
 * checksum of 6 characters.
 */
export function generateKey(kind: KeyEnvironment | 'setup-link'): string {
  const body = prefixes[kind] + toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  return body + checksum(body);
}

/** Whether the format and the checksum are valid. Rejects mistyped and invented keys without a read of the table. */
export function isWellFormedKey(key: string): boolean {
  const parts = shape.exec(key);
  return parts?.[1] !== undefined && checksum(parts[1]) === parts[2];
}

/** The only form in which the table stores a key. */
export const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

export const isSetupLinkToken = (key: string) => key.startsWith(prefixes['setup-link']);

export const environmentOf = (key: string): KeyEnvironment =>
  key.startsWith(prefixes.test) ? 'test' : 'production';

/** The parts of a key that are shown after its creation: its first 12 and its last 4 characters. */
export const keyPrefixOf = (key: string) => key.slice(0, 12);
export const searchHintOf = (key: string) => key.slice(-4);
