import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeEach, expect, test, vi } from 'vitest';
import { assetStore } from '../../../../shared/adapters/assets/asset-store.ts';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { loopback } from '../../../support/servers/loopback.ts';
import { configProblems, runStep } from './run-step.ts';

interface Asset {
  assetId: string;
  url: string;
  filename: string;
  contentType: string;
  size: number;
  expiresAt: string | null;
}

async function stored(config: object, variables: object = {}) {
  const assets = assetStore({ tenant: `user:${randomUUID()}`, runId: newId('exec') });
  const { output } = await runStep('store-asset', config, { variables: { ...variables }, ports: { assets } });
  return output as Asset;
}

const contentAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A web server on the loopback that may be reached. */
async function web(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const { host, url } = await loopback(answer);
  vi.stubEnv('ALLOWED_HOSTS', host);
  return url;
}

beforeEach(() => {
  vi.unstubAllEnvs();
});

test('stores base64 as a private file by default', async () => {
  const asset = await stored(
    { content: base64('Grüße'), filename: '{{ name }}.txt', contentType: 'text/plain; charset=utf-8' },
    { name: 'Ada' },
  );
  expect(asset).toEqual({
    assetId: expect.stringMatching(/^asset_\w{26}$/),
    url: expect.stringContaining('X-Amz-Signature='),
    filename: 'Ada.txt',
    contentType: 'text/plain; charset=utf-8',
    size: 7,
    expiresAt: expect.any(String),
  });
  expect((await contentAt(asset.url)).toString()).toBe('Grüße');
  const shared = await stored({ content: base64('x'), filename: 'x', visibility: 'public' });
  expect(shared.expiresAt).toBeNull();
  expect((await contentAt(shared.url)).toString()).toBe('x');
});

test('stores a server’s response with its name and type', async () => {
  const bytes = Buffer.from([0, 255, 1, 128]);
  const seen: (string | undefined)[] = [];
  const url = await web((request, response) => {
    seen.push(request.url);
    response.setHeader('content-type', 'image/png').end(bytes);
  });
  const asset = await stored({ url: '{{ base }}/pictures/%C3%84%20b.png?size=1' }, { base: url });
  expect(asset).toMatchObject({ filename: 'Ä b.png', contentType: 'image/png', size: 4 });
  expect(await contentAt(asset.url)).toEqual(bytes);
  expect(seen).toEqual(['/pictures/%C3%84%20b.png?size=1']);
  expect(await stored({ url, filename: 'mine.bin', contentType: 'application/x-mine' })).toMatchObject({
    filename: 'mine.bin',
    contentType: 'application/x-mine',
  });
  expect((await stored({ url: `${url}/` })).filename).toBe('file');
  expect((await stored({ url: `${url}/100%25%.txt` })).filename).toBe('100%25%.txt');
});

test.each([
  [{ content: base64('a'), filename: 'a.csv' }, 'text/csv'],
  [{ content: base64('a'), filename: 'a.docx' }, expect.stringContaining('wordprocessingml')],
  [{ content: base64('a'), filename: 'a' }, 'application/octet-stream'],
  [{ content: `data:image/gif;base64,${base64('a')}`, filename: 'a.png' }, 'image/gif'],
  [{ content: `data:text/plain;charset=utf-8;base64,${base64('a')}`, filename: 'a' }, 'text/plain'],
  [{ content: `data:;base64,${base64('a')}`, filename: 'a.png' }, 'image/png'],
  [
    { content: `data:image/gif;base64,${base64('a')}`, filename: 'a', contentType: 'image/webp' },
    'image/webp',
  ],
])('%j is of the type %s', async (config, type) => {
  expect((await stored(config)).contentType).toEqual(type);
});

test('content may be a variable of many megabytes, with line breaks, or in the URL alphabet', async () => {
  const large = Buffer.alloc(5_000_000, 'x').toString('base64');
  expect((await stored({ content: '{{ file.data }}', filename: 'f' }, { file: { data: large } })).size).toBe(
    5_000_000,
  );
  const bytes = Buffer.from([251, 255, 254]);
  for (const content of [bytes.toString('base64url'), '+\n/\r\n/+', ' +//+ ']) {
    expect(await contentAt((await stored({ content, filename: 'f' })).url)).toEqual(bytes);
  }
});

test.each([
  [{ filename: '../../../etc/passwd' }, '.._.._.._etc_passwd'],
  [{ filename: 'a\r\nX-Evil: 1.txt' }, 'a__X-Evil: 1.txt'],
  [{ filename: '名前 ✓.txt' }, '名前 ✓.txt'],
  [{ filename: "o'clock (1)*!.txt" }, "o'clock (1)*!.txt"],
  [{ filename: '%2e%2e%2fx+y&z=?#.txt' }, '%2e%2e%2fx+y&z=?#.txt'],
])('the hostile name %j is only a name', async (names, filename) => {
  for (const visibility of ['public', 'private']) {
    const asset = await stored({ content: base64('safe'), ...names, visibility });
    expect(asset.filename).toBe(filename);
    const response = await fetch(asset.url);
    expect([response.status, await response.text()]).toEqual([200, 'safe']);
    expect(response.headers.has('x-evil')).toBe(false);
  }
});

const content = base64('a');
test.each([
  [{ content: 'not base 64!', filename: 'a' }, 'content is not valid base64: not base 64!'],
  [{ content: 'abcde', filename: 'a' }, 'content is not valid base64: abcde'],
  [{ content: 'ab=c', filename: 'a' }, 'content is not valid base64: ab=c'],
  [{ content: 'data:text/plain,hello', filename: 'a' }, 'content is not valid base64: data:text/plain,hello'],
  [{ content: '{{ list }}', filename: 'a' }, 'content must be base64 text or a data: URL'],
  [{ content: '{{ missing }}', filename: 'a' }, 'content must be base64 text or a data: URL'],
  [{ content: ' ', filename: 'a' }, 'a is empty'],
  [{ content, filename: '{{ missing }}' }, '"" is not a valid filename'],
  [{ content, filename: '..' }, '".." is not a valid filename'],
  [{ content, filename: 'a'.repeat(256) }, 'has at most 255 bytes; this one has 256'],
  [
    { content, filename: 'a', contentType: 'text' },
    '"text" is not a content type; expected one like image/png',
  ],
  [{ content, filename: 'a', contentType: 'text/html\r\nX: y' }, 'is not a content type'],
  [{ content, filename: 'a', contentType: 'text/hört' }, 'is not a content type'],
  [{ content, filename: 'a', contentType: `text/${'x'.repeat(300)}` }, 'is not a content type'],
  [{ url: 'not a url' }, 'Not a URL: not a url'],
  [{ url: 'file:///etc/passwd' }, 'Only http and https'],
  [{ url: 'http://169.254.169.254/latest' }, 'is not a public address'],
])('%j fails permanently', async (config, message) => {
  const failure = await stepFailure(stored(config, { list: ['a'] }));
  expect(failure.message).toContain(message);
  expect(failure.retryable).toBe(false);
});

test.each([
  [404, false],
  [429, true],
  [503, true],
])('a server that answers %i fails the step', async (status, retryable) => {
  const url = await web((_request, response) => response.writeHead(status).end('no'));
  expect(await stepFailure(stored({ url }))).toMatchObject({
    message: `${url}/ answered ${status}`,
    retryable,
  });
});

test('more than 25 MB are rejected, from any source', async () => {
  const large = Buffer.alloc(25_000_001);
  const url = await web((_request, response) => response.end(large));
  expect((await stepFailure(stored({ url }))).message).toBe(`${url}/ answers with more than 25000000 bytes`);
  const variables = { large: large.toString('base64') };
  expect((await stepFailure(stored({ content: '{{ large }}', filename: 'f' }, variables))).message).toBe(
    'f has 25000001 bytes; the maximum is 25000000',
  );
});

test('an invalid content type of a server is ignored', async () => {
  const url = await web((_request, response) => response.setHeader('content-type', 'nonsense').end('a'));
  expect((await stored({ url: `${url}/a.html` })).contentType).toBe('text/html');
});

test('a temporary failure of the store fails the step, which is retryable', async () => {
  const assets = {
    read: async () => undefined,
    store: async () => {
      throw new StepError('The file could not be stored: S3 answered 503 to PUT', { retryable: true });
    },
  };
  const running = runStep('store-asset', { content, filename: 'a' }, { ports: { assets } });
  expect((await stepFailure(running)).retryable).toBe(true);
});

test.each([
  [{ filename: 'a' }, 'url: Give either url or content'],
  [{ url: 'u', content, filename: 'a' }, 'url: Give either url or content'],
  [{ content }, 'filename: Required with content'],
  [{ url: 'u', visibility: 'secret' }, expect.stringContaining('visibility: ')],
  [{ url: '{{ u' }, expect.stringContaining('url: ')],
  [{ url: '' }, expect.stringContaining('url: ')],
  [{ url: 'u', bucket: 'b' }, expect.stringContaining('bucket')],
])('%j is rejected', async (config, problem) => {
  expect(await configProblems('store-asset', config)).toEqual([problem]);
});
