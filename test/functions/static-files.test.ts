import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sites } from '../../functions/sites/index.ts';
import { donePath } from '../../shared/domain/mcp-connections/connection-paths.ts';
import { stack } from '../support/stack/stack.ts';

const paths = [
  ['/openapi.json', 'application/json'],
  ['/docs', 'text/html; charset=utf-8'],
  ['/docs/script.js', 'text/javascript; charset=utf-8'],
  ['/docs/style.css', 'text/css; charset=utf-8'],
  ['/secrets/setup', 'text/html; charset=utf-8'],
  ['/secrets/setup/script.js', 'text/javascript; charset=utf-8'],
  ['/secrets/setup/fields.js', 'text/javascript; charset=utf-8'],
  ['/secrets/setup/link-requests.js', 'text/javascript; charset=utf-8'],
  ['/secrets/setup/style.css', 'text/css; charset=utf-8'],
  ['/approvals', 'text/html; charset=utf-8'],
  ['/approvals/script.js', 'text/javascript; charset=utf-8'],
  ['/approvals/form.js', 'text/javascript; charset=utf-8'],
  ['/approvals/link-requests.js', 'text/javascript; charset=utf-8'],
  ['/approvals/style.css', 'text/css; charset=utf-8'],
  ['/v1/products/{id}/surfaces/{surfaceId}/page', 'text/html; charset=utf-8'],
  ...[
    'script',
    'service',
    'answer',
    'messages',
    'markdown',
    'parts',
    'status',
    'theme',
    'marked',
    'eventsource-parser',
  ].map((name) => [`/chat/${name}.js`, 'text/javascript; charset=utf-8'] as const),
  ['/chat/style.css', 'text/css; charset=utf-8'],
  ['/console', 'text/html; charset=utf-8'],
  [donePath, 'text/html; charset=utf-8'],
  [`${donePath}/style.css`, 'text/css; charset=utf-8'],
] as const;

const contents: Record<string, string | Uint8Array> = Object.assign(
  {},
  ...(await Promise.all(sites.map(({ files }) => files()))),
);
/** Their names change with their contents. */
const consoleAssets = Object.keys(contents).filter((path) => path.startsWith('/console/'));

const contentOf = (path: string) => Buffer.from(contents[path] ?? '').toString();

/** Without what `fetch` does by itself: it asks for every coding, and decodes. */
async function get(path: string, headers: Record<string, string> = {}) {
  const requested = path.replace(/\{\w+\}/g, 'any');
  const response = await fetch(stack().url + requested, {
    headers: { 'accept-encoding': 'identity', ...headers },
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

test('the tests below cover every file of every site', () => {
  const covered = [...paths.map(([path]) => path), ...consoleAssets];
  expect(Object.keys(contents).toSorted()).toEqual(covered.toSorted());
});

test.each(paths)('%s is served without a credential and unchanged, as %s', async (path, type) => {
  const { status, headers, body } = await get(path);
  expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type });
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-encoding')).toBeNull();
  expect(body === contentOf(path)).toBe(true);
});

test('each file of the console is served, and kept for a year, because its name has its hash', async () => {
  expect(consoleAssets.length).toBeGreaterThan(5);
  for (const path of consoleAssets) {
    const { status, headers, body } = await get(path);
    expect([path, status, body === contentOf(path)]).toEqual([path, 200, true]);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
});

test('the page of the console may call the issuer, and the files of imports, and nothing else', async () => {
  const { headers } = await get('/console');
  const { origin } = new URL(stack().url);
  expect(headers.get('content-security-policy')).toContain(
    `connect-src 'self' ${origin} ${origin}/payloads/;`,
  );
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self';");
});

test.each(paths)('%s: the headers state that the request is not counted', async (path) => {
  const { headers } = await get(path);
  expect(headers.get('x-ratelimit-limit')).toBe('1000');
  expect(headers.get('x-ratelimit-remaining')).toBe('1000');
  expect(headers.get('x-ratelimit-reset')).toBe('0');
});

test.each(paths)('%s: a client with a current copy gets a 304 without the bytes', async (path) => {
  const etag = (await get(path)).headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w.-]+"$/);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const { status, headers, body } = await get(path, { 'if-none-match': known });
    expect({ status, body }).toEqual({ status: 304, body: '' });
    expect(headers.get('etag')).toBe(etag);
    expect(headers.get('cache-control')).toBe((await get(path)).headers.get('cache-control'));
  }
  expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);
});

test.each([
  ['br', 'br', brotliDecompressSync],
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['GZIP;q=0.5, br;q=0', 'gzip', gunzipSync],
])('a client that accepts %j gets %s, with a separate ETag', async (accepted, coding, decode) => {
  const { port, hostname } = new URL(stack().url);
  const { request } = await import('node:http');
  const path = '/docs/script.js';
  const { bytes, headers } = await new Promise<{ bytes: Buffer; headers: Record<string, unknown> }>(
    (resolve, reject) => {
      request({ port, hostname, path, headers: { 'Accept-Encoding': accepted } }, async (response) => {
        resolve({ bytes: Buffer.concat(await response.toArray()), headers: response.headers });
      })
        .on('error', reject)
        .end();
    },
  );
  expect(headers).toMatchObject({ 'content-encoding': coding, vary: 'Accept-Encoding' });
  expect(decode(bytes).toString() === contentOf(path)).toBe(true);
  expect(headers.etag).not.toBe((await get(path)).headers.get('etag'));
});

test.each([
  '/docs/nothing',
  '/docs/nothing.js',
  '/docs/script.js/more',
  '/docs/__proto__',
  '/openapi.json/x',
])('%s: 404, as for any path without a route', async (path) => {
  const { status, headers, body } = await get(path);
  const [error, code] = ['Not found', 'NO_SUCH_ENDPOINT'];
  const details = [{ code, message: expect.stringContaining(`No such endpoint: GET ${path}.`) }];
  expect({ status, body: JSON.parse(body) }).toEqual({ status: 404, body: { error, details } });
  expect(headers.get('x-ratelimit-remaining')).toBe('1000');
  expect(headers.get('content-type')).toBe('application/json');
});

test('clients revalidate the API document each time, and the scripts of the reference once a day', async () => {
  expect((await get('/openapi.json')).headers.get('cache-control')).toBe('no-cache');
  expect((await get('/docs/script.js')).headers.get('cache-control')).toBe('public, max-age=86400');
});

const pages = ['/docs', '/secrets/setup', '/approvals', '/console', '/v1/products/any/surfaces/any/page'];

test.each(pages)('%s/ redirects to the page, from which relative addresses are right', async (path) => {
  const response = await fetch(`${stack().url}${path}/`, { redirect: 'manual' });
  const location = response.headers.get('location') ?? '';
  expect([response.status, location.startsWith('../')]).toEqual([308, true]);
  // API Gateway's own address has a stage before the path.
  expect(new URL(location, `https://id.execute-api.eu-north-1.amazonaws.com/prod${path}/`).pathname).toBe(
    `/prod${path}`,
  );
  expect((await fetch(`${stack().url}${path}/`)).url).toBe(stack().url + path);
});
