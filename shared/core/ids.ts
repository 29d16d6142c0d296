import { createHash } from 'node:crypto';
import { decodeTime, encodeTime, monotonicFactory } from 'ulid';
import * as z from 'zod';

export type IdPrefix =
  | 'flow'
  | 'flowver'
  | 'record'
  | 'batch'
  | 'exec'
  | 'step'
  | 'key'
  | 'asset'
  | 'secret'
  | 'audit'
  | 'setup'
  | 'login'
  | 'modelcfg'
  | 'providerkey'
  | 'tool'
  | 'toolrun'
  | 'call'
  | 'agent'
  | 'agentver'
  | 'cap'
  | 'cred'
  | 'appr'
  | 'wait'
  | 'turn'
  | 'hold'
  | 'part'
  | 'art'
  | 'product'
  | 'surface'
  | 'item'
  | 'surfkey'
  | 'surfsecret'
  | 'schedule'
  | 'firing'
  | 'delivery'
  | 'clienttoken'
  | 'conv'
  | 'msg'
  | 'feedback'
  | 'task'
  | 'pushcfg'
  | 'mcpconn'
  | 'telemetry'
  | 'budget'
  | 'import'
  | 'export'
  | 'alert';

export type NewId = <P extends IdPrefix>(prefix: P) => `${P}_${string}`;

const randomBytes = new Uint8Array(4_096);
let used = randomBytes.length;

/** A random fraction. Takes its bytes from a pool: one system call for each character of an id is slow. */
function random(): number {
  if (used === randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    used = 0;
  }
  return (randomBytes[used++] as number) / 256;
}

const ulid = monotonicFactory(random);

/** `<prefix>_<26 lower-case Crockford characters>`: sorts by creation time. */
export const newId: NewId = (prefix) => `${prefix}_${ulid().toLowerCase()}` as never;

const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

/** A deterministic id, derived from a time and names. */
export function deriveId(prefix: IdPrefix, timeMs: number, ...names: (string | number)[]): string {
  const digest = createHash('sha256').update(names.join('\0')).digest();
  const random = Array.from(digest.subarray(0, 16), (byte) => crockford[byte % 32]).join('');
  return `${prefix}_${encodeTime(timeMs).toLowerCase()}${random}`;
}

export const getIdKind = (id: string) => id.slice(0, id.indexOf('_')) as IdPrefix;

/** The creation time of an id, in Unix milliseconds. */
export const getIdTimeMs = (id: string) => decodeTime(id.slice(-26).toUpperCase());

/** The creation time of an id, as stored. Resources have it as `createdAt`, so that lists in order of ids are in order of time. */
export const getIdCreatedAt = (id: string) => new Date(getIdTimeMs(id)).toISOString();

/** A bound for "created since" on sort keys that start with an id. Times before 1970 count as 1970. */
export const idFloor = (prefix: IdPrefix, timeMs: number) => buildId(prefix, timeMs, '0');

export const idCeiling = (prefix: IdPrefix, timeMs: number) => buildId(prefix, timeMs, 'z');

const buildId = (prefix: IdPrefix, timeMs: number, filling: string) =>
  `${prefix}_${encodeTime(Math.max(0, timeMs)).toLowerCase()}${filling.repeat(16)}`;

/** The schema of an id in a path or a body: a malformed id returns 400, an unknown one 404. */
export const resourceId = <P extends IdPrefix>(prefix: P) =>
  z
    .string()
    .regex(
      new RegExp(`^${prefix}_[0-7][${crockford}]{25}$`),
      `Expected an id of the form ${prefix}_<26 characters>`,
    )
    .meta({ example: `${prefix}_01k9m4v7d3x8qz5w2r6t0y1hbn` });
