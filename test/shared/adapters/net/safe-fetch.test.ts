import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test, vi } from 'vitest';
import { makeSafeFetch, safeFetch } from '../../../../shared/adapters/net/safe-fetch.ts';
import type { HttpRequest } from '../../../../shared/adapters/ports/http-port.ts';
import { stepFailure } from '../../../support/flows/failure-of.ts';
import { loopback } from '../../../support/servers/loopback.ts';

const request = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  url,
  method: 'GET',
  headers: {},
  timeoutMs: 5_000,
  signal: new AbortController().signal,
  ...more,
});

const allow = (...hosts: string[]) => vi.stubEnv('ALLOWED_HOSTS', hosts.join(','));

beforeEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://017700000001/',
  'http://0177.0.0.1/',
  'http://127.0.0.1.:80/',
  'http://１２７.0.0.1/',
  'http://127。0。0。1/',
  'http://0/',
  'http://0.0.0.0:8080/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://0xA9FEA9FE/',
  'http://100.64.0.1/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://192.0.0.192/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::1]/',
  'http://[::]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  'http://[::127.0.0.1]/',
  'http://[fd00:ec2::254]/',
  'http://[fc00::1]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[64:ff9b:1::1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:1::]/',
  'http://[2001:db8::1]/',
  'http://localhost/',
  'http://LOCALHOST./',
  'https://127.0.0.1/',
])('%s is rejected permanently', async (url) => {
  const error = await stepFailure(safeFetch(request(url)));
  expect(error.message).toMatch(/is not a public address|cannot be reached: ENOTFOUND/);
  if (!/ENOTFOUND/.test(error.message)) expect(error.retryable).toBe(false);
});

test.each([
  ['ftp://example.com/', 'Only http and https'],
  ['file:///etc/passwd', 'Only http and https'],
  ['data:text/plain,x', 'Only http and https'],
  ['gopher://127.0.0.1:25/', 'Only http and https'],
  ['http://user:pass@example.com/', 'user name'],
  ['http://example.com@127.0.0.1/', 'user name'],
  ['http://256.256.256.256/', 'Not a URL'],
  ['//example.com', 'Not a URL'],
  ['', 'Not a URL'],
])('%s is rejected: %s', async (url, reason) => {
  expect(await stepFailure(safeFetch(request(url)))).toMatchObject({
    message: expect.stringContaining(reason),
    retryable: false,
  });
});

test.each([[['10.0.0.5']], [['::1']], [['93.184.216.34', '127.0.0.1']], [['::ffff:169.254.169.254']]])(
  'a name that resolves to %j is rejected',
  async (addresses) => {
    const asked: string[] = [];
    const guarded = makeSafeFetch((hostname, _options, done) => {
      asked.push(hostname);
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    });
    const error = await stepFailure(guarded(request('http://rebind.example/')));
    expect(error).toMatchObject({
      message: 'rebind.example is not a public address and may not be reached',
      retryable: false,
    });
    expect(asked).toEqual(['rebind.example']);
  },
);

test('a name that does not resolve is retryable', async () => {
  const guarded = makeSafeFetch((_hostname, _options, done) =>
    done(Object.assign(new Error(), { code: 'EAI_AGAIN' }), []),
  );
  expect(await stepFailure(guarded(request('http://gone.example/')))).toMatchObject({
    message: 'http://gone.example/ cannot be reached: EAI_AGAIN',
    retryable: true,
  });
});

test('sends method, headers and body, and returns status, headers, text and URL', async () => {
  const { url, host } = await loopback(async (incoming, response) => {
    response
      .writeHead(418, { 'x-seen': `${incoming.method} ${incoming.headers['x-a']}` })
      .end(await text(incoming));
  });
  allow(host);
  const answer = await safeFetch(
    request(`${url}/a?b`, { method: 'POST', headers: { 'X-A': '1', Host: 'evil' }, body: 'hé' }),
  );
  expect(answer).toMatchObject({
    status: 418,
    text: 'hé',
    url: `${url}/a?b`,
    headers: { 'x-seen': 'POST 1' },
  });
});

test('all cookies of a response are shown', async () => {
  const { url } = await loopback((_request, response) =>
    response.setHeader('set-cookie', ['a=1; Path=/', 'b=2']).end(),
  );
  allow(new URL(url).host);
  expect((await safeFetch(request(url))).headers['set-cookie']).toBe('a=1; Path=/, b=2');
});

test('an allowed host is only that host', async () => {
  const { url, port } = await loopback((_incoming, response) => response.end('in'));
  allow(`localhost:${port}`);
  expect(await safeFetch(request(`http://localhost:${port}/`))).toMatchObject({ text: 'in' });
  expect((await stepFailure(safeFetch(request(url)))).message).toContain('not a public address');
  allow();
  expect((await stepFailure(safeFetch(request(`http://localhost:${port}/`)))).message).toContain(
    'not a public address',
  );
});

test.each([
  'http://169.254.169.254/',
  'http://[::1]/',
  'http://localhost:8081/',
  '//10.0.0.1/x',
  'file:///etc/passwd',
])('a redirect to %s is rejected', async (location) => {
  const { url, host } = await loopback((_incoming, response) => response.writeHead(302, { location }).end());
  allow(host);
  expect(await stepFailure(safeFetch(request(url)))).toMatchObject({
    message: expect.stringMatching(/not a public address|Only http/),
    retryable: false,
  });
});

test.each([
  [301, 'POST', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [303, 'PUT', 'GET', ''],
  [302, 'PUT', 'PUT', 'body'],
  [307, 'POST', 'POST', 'body'],
  [308, 'DELETE', 'DELETE', 'body'],
] as const)('after a %i a %s becomes a %s with "%s"', async (status, method, followedBy, body) => {
  const { url, host } = await loopback(async (incoming, response) => {
    if (incoming.url === '/') return response.writeHead(status, { location: '/next' }).end();
    response.end(`${incoming.method} ${await text(incoming)} ${incoming.headers['content-type'] ?? ''}`);
  });
  allow(host);
  const sent = request(url, { method, headers: { 'content-type': 'text/x' }, body: 'body' });
  const answer = await safeFetch(sent);
  expect(answer).toMatchObject({ text: `${followedBy} ${body} ${body && 'text/x'}`, url: `${url}/next` });
});

test('a same-origin body is not redirected to another origin', async () => {
  const other = await loopback((_incoming, response) => response.end('got it'));
  const first = await loopback((incoming, response) => {
    response.writeHead(incoming.url === '/303' ? 303 : 307, { location: other.url }).end();
  });
  allow(first.host, other.host);
  const sent = (path: string) =>
    request(first.url + path, { method: 'POST', body: 'secret', sameOriginBody: true });
  await expect(safeFetch(sent('/307'))).rejects.toThrow(
    `redirects a body with a secret to another origin, ${new URL(other.url).origin}`,
  );
  expect((await safeFetch(sent('/303'))).text).toBe('got it');
});

test('credentials stay with their origin', async () => {
  const seen: unknown[] = [];
  const other = await loopback(({ headers }, response) => {
    seen.push([headers.authorization, headers.cookie, headers['x-api-key'], headers.accept]);
    response.end();
  });
  const first = await loopback((incoming, response) => {
    const location = incoming.url === '/' ? '/same' : other.url;
    seen.push(incoming.headers.authorization);
    response.writeHead(307, { location }).end();
  });
  allow(first.host, other.host);
  const headers = { Authorization: 'Bearer x', cookie: 'a=b', 'X-API-Key': 'k', accept: 'text/x' };
  await safeFetch(request(`${first.url}/`, { headers }));
  expect(seen).toEqual(['Bearer x', 'Bearer x', [undefined, undefined, undefined, 'text/x']]);
});

test('more than five redirects are rejected', async () => {
  let hops = 0;
  const { url, host } = await loopback((_incoming, response) =>
    response.writeHead(302, { location: `/${++hops}` }).end(),
  );
  allow(host);
  expect((await stepFailure(safeFetch(request(url)))).message).toBe(`${url} redirects more than 5 times`);
  expect(hops).toBe(6);
});

test('more than 5 MB are rejected, also when compressed', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000));
  const { url, host } = await loopback(({ url }, response) => {
    if (url === '/gzip') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    response.end('x'.repeat(5_000_001));
  });
  allow(host);
  for (const path of ['/gzip', '/plain']) {
    expect((await stepFailure(safeFetch(request(url + path)))).message).toContain('more than 5000000 bytes');
  }
});

test('a request can set the limit of its response', async () => {
  const { url, host } = await loopback((_incoming, response) => response.end('x'.repeat(6_000_000)));
  allow(host);
  const { bytes } = await safeFetch(request(url, { bytesMax: 6_000_000 }));
  expect(bytes.byteLength).toBe(6_000_000);
  expect(await stepFailure(safeFetch(request(url, { bytesMax: 5_999_999 })))).toMatchObject({
    message: expect.stringContaining('more than 5999999 bytes'),
    retryable: false,
  });
});

test('the raw bytes are returned with the text', async () => {
  const { url, host } = await loopback((_incoming, response) => response.end(Buffer.from([0, 255, 65])));
  allow(host);
  const answer = await safeFetch(request(url));
  expect([...answer.bytes]).toEqual([0, 255, 65]);
  expect(answer.text).toBe('\0\ufffdA');
});

test('the service sends its user agent, unless the request sets one', async () => {
  const { url, host } = await loopback(({ headers }, response) => response.end(headers['user-agent']));
  allow(host);
  expect((await safeFetch(request(url))).text).toBe('agent-flow-service');
  expect((await safeFetch(request(url, { headers: { 'User-Agent': 'mine' } }))).text).toBe('mine');
});

test('text is decoded by its charset, by UTF-8 if that is unknown', async () => {
  const { url, host } = await loopback((incoming, response) => {
    const charset = incoming.url?.slice(1);
    const bytes = charset === 'latin1' ? Buffer.from('é', 'latin1') : Buffer.from('é');
    response.writeHead(200, { 'content-type': `text/plain; charset="${charset}"` }).end(bytes);
  });
  allow(host);
  const texts = ['latin1', 'utf-8', 'nonsense'].map(
    async (charset) => (await safeFetch(request(`${url}/${charset}`))).text,
  );
  expect(await Promise.all(texts)).toEqual(['é', 'é', 'é']);
});

test.each(['never answers', 'stops in the middle'])('a server that %s is retryable', async (manner) => {
  const { url, host } = await loopback((_incoming, response) => {
    if (manner !== 'never answers') response.writeHead(200).write('beginning');
  });
  allow(host);
  expect(await stepFailure(safeFetch(request(url, { timeoutMs: 100 })))).toMatchObject({
    message: `${url} did not answer within 100 ms`,
    retryable: true,
  });
});

test('a broken connection is retryable', async () => {
  const { url, host } = await loopback((incoming) => incoming.socket.destroy());
  allow(host);
  expect(await stepFailure(safeFetch(request(url)))).toMatchObject({
    retryable: true,
    message: expect.stringContaining('cannot be reached'),
  });
});

test('the caller’s signal aborts the request with the caller’s reason', async () => {
  const { url, host } = await loopback(() => {});
  allow(host);
  const controller = new AbortController();
  const running = safeFetch(request(url, { signal: controller.signal }));
  controller.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
});

test('headers cannot inject others', async () => {
  const { url, host } = await loopback((_incoming, response) => response.end());
  allow(host);
  const error = await stepFailure(safeFetch(request(url, { headers: { 'x-a': 'b\r\nevil: 1' } })));
  expect(error).toMatchObject({
    retryable: false,
    message: expect.stringContaining('headers cannot contain'),
  });
});
