import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type KeyEnvironment = 'production' | 'test';

const prefixes = {
  production: 'tv_live_',
  test: 'tv_test_',
  'setup-link': 'tv_setup_',
  approval: 'tv_approval_',
  callback: 'tv_callback_',
  login: 'tv_login_',
  relay: 'tv_relay_',
  'surface-production': 'tv_surface_live_',
  'surface-test': 'tv_surface_test_',
  'client-live': 'ct_live_',
  'client-test': 'ct_test_',
  'client-session': 'cs_',
} as const;
type KeyKind = keyof typeof prefixes;

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape =
  /^((?:tv_(?:live|test|setup|approval|callback|login|relay|surface_live|surface_test)|ct_(?:live|test)|cs)_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

const toBase62 = (value: bigint, length: number): string => {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = base62[Number(rest % 62n)] + text;
  return text;
};
const computeChecksum = (text: string) => toBase62(BigInt(crc32(text)), 6);

/**
 * A prefix (`tv_live_` or `tv_test_`, `tv_surface_…` for the key of a surface, `tv_setup_` for the token of a setup link,
 * `tv_approval_` and `tv_callback_` for what a run waits for, `tv_login_` for the code of a login of the command line, `tv_relay_` for the address of a caller, `ct_…` for a client token, `cs_` for the session of a visitor), 32 random bytes in base 62, and a checksum of 6 characters.
 */
export function generateKey(kind: KeyKind): string {
  const body = prefixes[kind] + toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);
  return body + computeChecksum(body);
}

/** Whether the format and the checksum are valid. Rejects mistyped and invented keys without a read of the table. */
export function isWellFormedKey(key: string): boolean {
  const parts = shape.exec(key);
  return parts?.[1] !== undefined && computeChecksum(parts[1]) === parts[2];
}

/** The only form in which the table stores a key. */
export const hashKey = (key: string) => createHash('sha256').update(key).digest('hex');

export const isSetupLinkToken = (key: string) => key.startsWith(prefixes['setup-link']);
export const isSurfaceKey = (key: string) => key.startsWith('tv_surface_');
export const isClientToken = (key: string) => key.startsWith('ct_');
export const isClientSession = (key: string) => key.startsWith(prefixes['client-session']);
export const isApiKey = (key: string) => key.startsWith(prefixes.production) || key.startsWith(prefixes.test);

export const getKeyEnvironment = (key: string): KeyEnvironment =>
  key.startsWith(prefixes.test) ? 'test' : 'production';

/** The hash of a key, and what is shown after its creation: the prefix with 4 more characters, and its last 4. */
export const deriveKeyFields = (key: string) => ({
  hash: hashKey(key),
  keyPrefix: key.slice(0, key.lastIndexOf('_') + 5),
  searchHint: key.slice(-4),
});
