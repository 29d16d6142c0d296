import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import { assetStore } from '../../../../shared/adapters/assets/asset-store.ts';
import type { AssetsPort } from '../../../../shared/adapters/ports/assets-port.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { signObjectUrl } from '../../../../shared/platform/aws/s3.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { eventually } from '../../../support/stack/eventually.ts';

const owner = () => ({ tenant: `user:${randomUUID()}`, runId: newId('exec') });
type File = Parameters<AssetsPort['store']>[0];
const file = (changes: Partial<File> = {}): File => ({
  bytes: Buffer.from('hello'),
  filename: 'note.txt',
  contentType: 'text/plain',
  visibility: 'private',
  ...changes,
});

beforeEach(() => {
  vi.unstubAllEnvs();
});

test('a private file is readable by its signed URL for an hour', async () => {
  const before = Date.now();
  const { assetId, url, expiresAt } = await assetStore(owner()).store(file());
  expect(assetId).toMatch(/^asset_[0-9a-hjkmnp-tv-z]{26}$/);
  expect(Date.parse(expiresAt ?? '') - before).toBeGreaterThan(3_590_000);
  expect(Date.parse(expiresAt ?? '') - before).toBeLessThan(3_700_000);
  const query = new URL(url).searchParams;
  expect(query.get('X-Amz-Expires')).toBe('3600');
  expect(query.get('X-Amz-Signature')).toMatch(/^[\da-f]{64}$/);
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([200, 'hello']);
  expect(response.headers.get('content-type')).toBe('text/plain');
  expect(response.headers.get('content-disposition')).toBe(
    `inline; filename="note.txt"; filename*=UTF-8''note.txt`,
  );
});

test.each([
  ['another signature', (query: URLSearchParams) => query.set('X-Amz-Signature', '0'.repeat(64))],
  ['a later end', (query: URLSearchParams) => query.set('X-Amz-Expires', '604800')],
  ['another part', (query: URLSearchParams) => query.append('x', '1')],
  ['no signature', (query: URLSearchParams) => [...query.keys()].forEach((name) => void query.delete(name))],
])('with %s, nobody can read a private file', async (_name, change) => {
  const { url } = await assetStore(owner()).store(file());
  const changed = new URL(url);
  change(changed.searchParams);
  expect((await fetch(changed)).status).toBe(403);
});

test.each([
  'Bearer x',
  `AWS4-HMAC-SHA256 Credential=local/20261126/us-east-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=${'0'.repeat(64)}`,
  `AWS4-HMAC-SHA256 Credential=local/20261126/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=${'0'.repeat(64)}`,
])('the header %s opens no file', async (authorization) => {
  const { url } = await assetStore(owner()).store(file());
  const { origin, pathname } = new URL(url);
  const headers = { authorization, 'x-amz-date': '20261126T080000Z' };
  expect((await fetch(origin + pathname, { headers })).status).toBe(403);
  expect((await fetch(origin + pathname, { method: 'PUT', body: 'x', headers })).status).toBe(403);
});

test('the address of a private file expires', async () => {
  const past = await assetStore(owner()).store(file());
  const { pathname } = new URL(past.url);
  const [, bucket = '', ...key] = pathname.split('/');
  const url = await signObjectUrl(bucket, key.map(decodeURIComponent).join('/'), 0);
  await eventually(async () => expect((await fetch(url)).status).toBe(403));
});

test('the signature follows the AWS specification', async () => {
  vi.stubEnv('AWS_SESSION_TOKEN', 'token/+=');
  const { url } = await assetStore(owner()).store(file({ filename: "a b (1)'!*ä+%.txt" }));
  // The gateway passes it on to where it is signed for.
  const { PUBLIC_ENDPOINT_URL_S3: reachable = '', AWS_ENDPOINT_URL_S3: endpoint = '' } = process.env;
  const { searchParams, pathname, host } = new URL(url.replace(reachable, endpoint));
  expect(searchParams.get('X-Amz-Security-Token')).toBe('token/+=');
  // Signed as the Signature Version 4 document says, from the address alone.
  const signature = searchParams.get('X-Amz-Signature');
  searchParams.delete('X-Amz-Signature');
  const encoded = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const path = pathname
    .split('/')
    .map((part) => encoded(decodeURIComponent(part)))
    .join('/');
  const query = [...searchParams].map(([name, value]) => `${encoded(name)}=${encoded(value)}`).sort();
  const request = ['GET', path, query.join('&'), `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const { createHmac } = await import('node:crypto');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const time = searchParams.get('X-Amz-Date') ?? '';
  const scope = `${time.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const digest = createHash('sha256').update(request).digest('hex');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${process.env.AWS_SECRET_ACCESS_KEY}`);
  expect(hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`).toString('hex')).toBe(signature);
});

test('a public file has a URL without a signature that does not expire', async () => {
  const { url, expiresAt } = await assetStore(owner()).store(
    file({ visibility: 'public', filename: 'Ä/ö'.replace('/', '_') }),
  );
  expect(expiresAt).toBeNull();
  expect(new URL(url).search).toBe('');
  expect(url.startsWith(`${process.env.PUBLIC_ASSETS_URL}/`)).toBe(true);
  const response = await fetch(url);
  expect([response.status, await response.text()]).toEqual([200, 'hello']);
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('private files are stored outside of the public folder', async () => {
  const { url } = await assetStore(owner()).store(file());
  const bucket = new URL(process.env.PUBLIC_ASSETS_URL ?? '').pathname;
  expect(new URL(url).pathname.startsWith(`${bucket}/`)).toBe(false);
});

test('a repeated step stores the same file once; each other file is separate', async () => {
  const mine = owner();
  const id = async (changes: Partial<File>, who = mine) =>
    (await assetStore(who).store(file(changes))).assetId;
  const first = await id({});
  expect(await id({})).toBe(first);
  const others = await Promise.all([
    id({ bytes: Buffer.from('hallo') }),
    id({ filename: 'other.txt' }),
    id({ contentType: 'text/html' }),
    id({ visibility: 'public' }),
    id({}, { ...mine, runId: newId('exec') }),
  ]);
  expect(new Set([first, ...others]).size).toBe(6);
});

test.each([
  ['text/html', 'attachment'],
  ['image/svg+xml', 'attachment'],
  ['application/xhtml+xml', 'attachment'],
  ['application/javascript', 'attachment'],
  ['IMAGE/PNG', 'inline'],
  ['application/pdf', 'inline'],
  ['text/plain; charset=utf-8', 'inline'],
])('%s is %s: a browser executes nothing in a file', async (contentType, disposition) => {
  const { url } = await assetStore(owner()).store(file({ contentType, visibility: 'public' }));
  const { headers } = await fetch(url);
  expect(headers.get('content-disposition')).toMatch(new RegExp(`^${disposition}; filename=`));
  expect(headers.get('content-type')).toBe(contentType);
});

test.each([
  [file({ bytes: Buffer.alloc(0) }), 'note.txt is empty'],
  [file({ bytes: Buffer.alloc(25_000_001) }), 'note.txt has 25000001 bytes; the maximum is 25000000'],
])('%#: an empty or too large file is rejected', async (sent, message) => {
  expect(await stepFailure(assetStore(owner()).store(sent))).toMatchObject({ message, retryable: false });
});

test('25 MB are stored completely', async () => {
  const bytes = Buffer.alloc(25_000_000, 'abc');
  const { url } = await assetStore(owner()).store(file({ bytes }));
  expect(Buffer.compare(Buffer.from(await (await fetch(url)).arrayBuffer()), bytes)).toBe(0);
});

test('a missing permission for the bucket is an error of the deployment, not of the flow', async () => {
  const { url } = await loopback((_request, response) => response.writeHead(403).end());
  vi.stubEnv('AWS_ENDPOINT_URL_S3', url);
  await expect(assetStore(owner()).store(file())).rejects.toThrow('S3 answered 403 to PUT');
});
