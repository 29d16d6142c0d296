/**
 * Stores JSON of any size: small values inline in the item, larger ones compressed in the payload bucket, both behind one
 * `PayloadRef`.
 *
 * `offload` comes before the write of the item that holds the reference, so that no item points to what does not exist; a
 * crash in between leaves an object that nothing names, which the rules of the bucket or the cleanup of its folder remove.
 * Values are immutable: each has a name of its own. Reader, writer and removers are apart, because each has permissions of its
 * own.
 */

import { promisify } from 'node:util';
import * as z from 'zod';
import { requireEnv } from '../../core/environment.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';
import { requestS3, S3Error, signObjectUrl } from '../aws/s3.ts';
import { using } from '../aws/uses.ts';
import type { Scope } from './scope.ts';

/** JSON, or its location in S3. Text: DynamoDB cannot represent all JSON and decodes its types more slowly. */
export const PayloadRef = z.union([
  z.object({ inline: z.string() }),
  z.object({ pointer: z.string(), bytes: z.int() }),
]);
export type PayloadRef = z.infer<typeof PayloadRef>;

/** The length of the value's JSON in bytes. */
export const countPayloadBytes = (payloadRef: PayloadRef) =>
  'pointer' in payloadRef ? payloadRef.bytes : Buffer.byteLength(payloadRef.inline);

// Loaded for the first value that is too large for an item.
const zlib = () => process.getBuiltinModule('node:zlib');

/** Longer JSON goes to the payload bucket: an item holds 400 KB. */
export const inlineBytesMax = 200_000;

/** Whoever fetches an object gets JSON. */
export const payloadHeaders = { 'content-type': 'application/json', 'content-encoding': 'gzip' };

const signedSeconds = 3_600;

const toObjectKey = ({ table }: Scope, root: string, name: string) =>
  `${root}${table.tenant}/${name}.json.gz`;

export type PayloadReader = ReturnType<typeof payloadReader>;

export const payloadReader = /* @__PURE__ */ using(['payloads:read'], ({ signal }: Pick<Scope, 'signal'>) => {
  const reader = {
    async fetch(payloadRef: PayloadRef): Promise<unknown> {
      if (!('pointer' in payloadRef)) return parseExact(payloadRef.inline);
      const response = await request('GET', payloadRef.pointer, { signal });
      const body = Buffer.from(await response.arrayBuffer());
      // An earlier release stored objects without their encoding: they arrive as they are.
      const isDecoded = response.headers.get('content-encoding') === 'gzip';
      return parseExact((isDecoded ? body : await promisify(zlib().gunzip)(body)).toString());
    },

    /** The same for a list: `null` for a missing or broken value, which is logged. */
    async fetchReadable(payloadRef: PayloadRef): Promise<unknown> {
      try {
        return await reader.fetch(payloadRef);
      } catch (error) {
        if (!isLost(error)) throw error;
        log.error('A stored value is unreadable', { error, ...('pointer' in payloadRef && payloadRef) });
        return null;
      }
    },

    /** An address of the value, for an hour, for whoever has it. */
    signUrl: ({ pointer }: { pointer: string }) =>
      signObjectUrl(requireEnv('PAYLOAD_BUCKET'), pointer, signedSeconds),
  };
  return reader;
});

export type PayloadWriter = ReturnType<typeof payloadWriter>;

/** Offloads to S3, gzip-compressed. @param root A prefix before the tenant's, for other rules of the bucket. */
export const payloadWriter = /* @__PURE__ */ using(['payloads:write'], (scope: Scope, root = '') => ({
  /** @param name Unique per value: values are immutable. @param inlineMax In bytes of JSON. */
  async offload(name: string, value: unknown, inlineMax = inlineBytesMax): Promise<PayloadRef> {
    const json = JSON.stringify(value) ?? 'null';
    if (Buffer.byteLength(json) <= inlineMax) return { inline: json };
    const pointer = toObjectKey(scope, root, name);
    await request('PUT', pointer, {
      body: await promisify(zlib().gzip)(json),
      headers: payloadHeaders,
    });
    return { pointer, bytes: Buffer.byteLength(json) };
  },
}));

/** For those who read and write. */
export const payloadStore = /* @__PURE__ */ using(
  [payloadReader, payloadWriter],
  (scope: Scope, root = '') => ({ ...payloadReader(scope), ...payloadWriter(scope, root) }),
);

export const payloadRemover = /* @__PURE__ */ using(['payloads:delete'], () => ({
  remove: (pointers: readonly string[]) => Promise.all(pointers.map((pointer) => request('DELETE', pointer))),
}));

export const payloadFolders = /* @__PURE__ */ using(
  ['payloads:delete', 'payloads:list'],
  ({ table }: Scope, root = '') => ({
    async remove(folder: string): Promise<void> {
      const prefix = `${root}${table.tenant}/${folder}/`;
      for (let isLast = false; !isLast; ) {
        const page = await listNames(prefix);
        await Promise.all(page.names.map((name) => request('DELETE', name)));
        isLast = page.isLast;
      }
    },
  }),
);

/** Whether a retry cannot help. */
const isLost = (error: unknown) =>
  (error instanceof S3Error && error.status === 404) ||
  error instanceof SyntaxError ||
  String((error as NodeJS.ErrnoException).code).startsWith('Z_');

const listedMax = 100;

/** The first names of objects. S3 may list fewer than requested and have more. */
async function listNames(prefix: string): Promise<{ names: string[]; isLast: boolean }> {
  const query = new URLSearchParams({ 'list-type': '2', prefix, 'max-keys': String(listedMax) });
  const listing = await (await request('GET', '', { query })).text();
  const names = [...listing.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, name = '']) => decodeEntities(name));
  return { names, isLast: !listing.includes('<IsTruncated>true</IsTruncated>') };
}

/** Names of tenants may have characters that XML escapes. */
const decodeEntities = (text: string) =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hexadecimal, name) =>
    name ? (entities[name] ?? whole) : String.fromCodePoint(Number(decimal ?? `0x${hexadecimal}`)),
  );
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const request = (
  method: 'GET' | 'PUT' | 'DELETE',
  key: string,
  options: {
    body?: Buffer;
    headers?: Record<string, string>;
    query?: URLSearchParams;
    signal?: AbortSignal | undefined;
  } = {},
) => requestS3(requireEnv('PAYLOAD_BUCKET'), method, key, options);
