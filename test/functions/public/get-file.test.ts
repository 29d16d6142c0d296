import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { assetStore } from '../../../shared/adapters/assets/asset-store.ts';
import { publicFiles } from '../../../shared/adapters/assets/public-file.ts';
import { newId } from '../../../shared/core/ids.ts';
import type { Scope } from '../../../shared/platform/data/scope.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { call, stack } from '../../support/stack/stack.ts';

async function publicFile(filename: string, tenant = `user:${randomUUID()}`) {
  const bytes = Buffer.from(`the content of ${filename}`);
  const file = { bytes, filename, contentType: 'text/plain', visibility: 'public' } as const;
  return assetStore({ tenant, runId: newId('exec') }).store(file);
}
const pathIn = (url: string) => url.slice(stack().url.length);

test.each(['note.txt', 'ä b (1)+%#?&=.txt', '..hidden', '名前.txt'])(
  'the address of the public file %s leads to it, for everybody',
  async (filename) => {
    const { url, expiresAt } = await publicFile(filename, `org:${encodeURIComponent('acme & söns/1')}`);
    expect(expiresAt).toBeNull();
    expect(url.startsWith(`${stack().url}/v1/public/files/`)).toBe(true);
    const first = await fetch(url, { redirect: 'manual' });
    expect([first.status, first.headers.get('cache-control')]).toEqual([302, 'public, max-age=240']);
    const second = await fetch(url);
    expect([second.status, await second.text()]).toEqual([200, `the content of ${filename}`]);
    expect(second.headers.get('content-disposition')).toMatch(/^inline; /);
  },
);

test('an unknown file, a private one and one of another tenant are the same 404', async () => {
  const tenant = `user:${randomUUID()}`;
  const { url } = await publicFile('a.txt', tenant);
  const bytes = Buffer.from('private');
  const hidden = { bytes, filename: 'b.txt', contentType: 'text/plain', visibility: 'private' } as const;
  const { assetId } = await assetStore({ tenant, runId: newId('exec') }).store(hidden);
  const others = [
    url.replace('a.txt', 'c.txt'),
    url.replace(/asset_\w+/, newId('asset')),
    url.replace(/user[^/]+/, `user:${randomUUID()}`),
    url.replace(/asset_\w+/, assetId).replace('a.txt', 'b.txt'),
  ];
  for (const other of others)
    expect(await call('GET', pathIn(other)), other).toMatchObject({
      status: 404,
      body: notFoundBody('File'),
    });
});

test.each([
  ['another tenant’s form', 'nobody/asset/name'],
  ['an asset id that is none', 'user:x/asset/name'],
  ['a file name of dots', `user:x/${newId('asset')}/%2e%2e`],
  ['a slash in the file name', `user:x/${newId('asset')}/..%2F..%2Fprivate`],
  ['a path in the tenant', `user:x%2F..%2F..%2Fprivate/${newId('asset')}/name`],
  ['a malformed escape in the tenant', `%E0%A4%A/${newId('asset')}/name`],
])('%s: 400 or 404, and no other object is reachable', async (_, rest) => {
  const { status } = await call('GET', `/v1/public/files/${rest}`);
  expect([400, 404]).toContain(status);
});

// Otherwise anybody could cause errors with 500, which sound an alarm and stop releases.
test('a key that is longer than S3 allows is a 404', async () => {
  const s3 = createServer((_, response) => response.writeHead(400).end()).listen(0, '127.0.0.1');
  await once(s3, 'listening');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${(s3.address() as AddressInfo).port}`);
  try {
    const files = publicFiles({ table: { tenant: `user:${'ä'.repeat(400)}` } } as Scope);
    await expect(files.urlOf(newId('asset'), 'ä'.repeat(120), 300)).rejects.toThrow('File not found');
  } finally {
    vi.unstubAllEnvs();
    s3.close();
  }
});
