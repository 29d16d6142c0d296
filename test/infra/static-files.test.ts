import { createHook } from 'node:async_hooks';
import { mkdtempSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Site } from '../../functions/sites/site.ts';
import { writeStaticFiles } from '../../infra/static-files.ts';
import { type FileManifest, serveStaticFile } from '../../shared/platform/http/static-files.ts';

const picture = new Uint8Array(1_000).map(() => Math.floor(Math.random() * 256));
/** An app of many files that routes in the browser. */
const app: Site = {
  routes: ['/console', '/console/{proxy+}'],
  headers: { 'cache-control': 'no-cache' },
  files: async () => ({
    '/console': '<!doctype html>',
    '/console/{proxy+}': '<!doctype html>',
    '/console/assets/app-3f2a.js': 'go();'.repeat(1_000),
    '/console/assets/logo.png': picture,
    '/console/assets/body.woff2': picture,
  }),
};

const directory = mkdtempSync(join(tmpdir(), 'static-files-'));
let manifest: FileManifest;
beforeAll(async () => {
  await writeStaticFiles([app], directory);
  manifest = JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
});

const get = (proxy: string | undefined, headers = {}) =>
  serveStaticFile(manifest, (name) => readFile(join(directory, name)), {
    resource: proxy === undefined ? '/console' : '/console/{proxy+}',
    pathParameters: proxy === undefined ? null : { proxy },
    headers,
    requestContext: { httpMethod: 'GET', path: `/dev/console/${proxy}` },
  });

test.each([
  ['assets/app-3f2a.js', 'text/javascript; charset=utf-8'],
  ['assets/logo.png', 'image/png'],
  ['assets/body.woff2', 'font/woff2'],
  ['flows/flow_1/edit', 'text/html; charset=utf-8'],
  [undefined, 'text/html; charset=utf-8'],
])('%s is served as %s', async (proxy, type) => {
  expect(await get(proxy)).toMatchObject({
    statusCode: 200,
    headers: { 'content-type': type, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' },
  });
});

test('a slash at the end is left out, because relative addresses would be wrong with it', async () => {
  expect(await get('flows/')).toMatchObject({ statusCode: 308, headers: { location: '../flows' } });
});

test('binary files are served unchanged', async () => {
  expect(Buffer.from((await get('assets/logo.png')).body).equals(picture)).toBe(true);
});

test('a file of an earlier build returns 404, not the page', async () => {
  expect((await get('assets/app-0000.js')).statusCode).toBe(404);
});

test('a file that compression does not shrink is stored once and sent without Vary', async () => {
  expect(Object.keys(manifest['/console/assets/logo.png']?.codings ?? {})).toEqual(['identity']);
  const { headers } = await get('assets/logo.png', { 'accept-encoding': 'br, gzip' });
  expect(headers).not.toHaveProperty('vary');
  expect(headers).not.toHaveProperty('content-encoding');
});

test('a file that compression shrinks is stored compressed, and header names are case-insensitive', async () => {
  const { headers, body } = await get('assets/app-3f2a.js', { 'ACCEPT-encoding': 'gzip' });
  expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(gunzipSync(body).toString()).toBe('go();'.repeat(1_000));
});

test('the ETag changes with the content', async () => {
  const other = mkdtempSync(join(tmpdir(), 'static-files-'));
  await writeStaticFiles([{ ...app, files: async () => ({ '/console': '<!doctype html> ' }) }], other);
  const changed: FileManifest = JSON.parse(readFileSync(join(other, 'manifest.json'), 'utf8'));
  expect(changed['/console']?.codings.identity.etag).not.toBe(manifest['/console']?.codings.identity.etag);
});

test('few encoders are open at a time, since each holds its memory from its creation on', async () => {
  const open = new Set<number>();
  let most = 0;
  const hook = createHook({
    init(id, type) {
      if (type !== 'ZLIB') return;
      open.add(id);
      most = Math.max(most, open.size);
    },
    after: (id) => open.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  const files = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`/console/${n}.js`, `go(${n});`]));
  await writeStaticFiles(
    [{ ...app, files: async () => files }],
    mkdtempSync(join(tmpdir(), 'static-files-')),
  );
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(8);
});
