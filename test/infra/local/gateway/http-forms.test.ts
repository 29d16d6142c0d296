import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { endpoints } from '../../../../functions/index.ts';
import { bodyBytesMax } from '../../../../infra/local/gateway/bodies.ts';
import { serveGateway } from '../../../../infra/local/gateway/serve.ts';
import type { AnyEndpoint } from '../../../../shared/platform/http/endpoint.ts';
import { examplePath } from '../../../support/stack/paths.ts';
import { newTenant, stack } from '../../../support/stack/stack.ts';

let tenant: Awaited<ReturnType<typeof newTenant>>;
beforeAll(async () => {
  tenant = await newTenant();
});

const readable = (endpoints as readonly AnyEndpoint[]).filter(({ method }) => method === 'GET');

async function raw(lines: readonly string[]): Promise<{ status: string; head: string; body: string }> {
  const { hostname, port } = new URL(stack().url);
  const socket = connect(Number(port), hostname);
  socket.end([...lines, 'Connection: close', '', ''].join('\r\n'));
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: head.split(' ')[1] ?? '', head, body };
}

test.each(readable.map((endpoint) => [endpoint.id, endpoint] as const))(
  '%s: HEAD has the status and the type of GET, and no content',
  async (_id, endpoint) => {
    const { token } = tenant;
    const ask = (method: string) =>
      fetch(stack().url + examplePath(endpoint), {
        method,
        redirect: 'manual',
        headers: { authorization: `Bearer ${token}` },
      });
    const [got, head] = [await ask('GET'), await ask('HEAD')];
    expect(head.status).toBe(got.status);
    expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'));
    expect(head.headers.get('x-ratelimit-limit')).toBe(got.headers.get('x-ratelimit-limit'));
    expect(await head.text()).toBe('');
    await got.body?.cancel();
  },
);

test.each(['/v1/public/health', '/docs', '/openapi.json'])(
  'HEAD %s: 200 without a credential, and nothing after the head',
  async (path) => {
    const { status, body } = await raw([`HEAD ${path} HTTP/1.1`, 'Host: localhost']);
    expect({ status, body }).toEqual({ status: '200', body: '' });
  },
);

test('HEAD without a credential is a 401, where a GET is, and a 404 where there is no GET', async () => {
  expect((await raw(['HEAD /v1/flows HTTP/1.1', 'Host: localhost'])).status).toBe('401');
  expect((await raw(['HEAD /v1/nothing HTTP/1.1', 'Host: localhost'])).status).toBe('404');
  expect((await raw(['HEAD /v1/dispatch HTTP/1.1', 'Host: localhost'])).status).toBe('404');
});

test.each(['http://localhost:3000', 'HTTP://example.com', 'https://proxy.example.com:8443'])(
  'a request line with the whole URL (%s) is the same as one with the path',
  async (origin) => {
    const { token } = await newTenant();
    const authorization = `Authorization: Bearer ${token}`;
    const { status, body } = await raw([`GET ${origin}/v1/flows?limit=1 HTTP/1.1`, 'Host: x', authorization]);
    expect(status).toBe('200');
    expect(JSON.parse(body)).toMatchObject({ data: [] });
    const missing = await raw([`GET ${origin} HTTP/1.1`, 'Host: x']);
    expect(JSON.parse(missing.body).details[0].message).toContain('No such endpoint: GET /.');
  },
);

test('local routes decide by the host of the whole URL', async () => {
  const { status } = await raw(['POST http://evil.example.com/local/sessions HTTP/1.1', 'Host: localhost']);
  expect(status).toBe('403');
});

const flow = JSON.stringify({ name: 'Packed', flowSteps: [] });
const create = async (body: Uint8Array | string, headers: Record<string, string>) => {
  const { token } = await newTenant();
  const response = await fetch(`${stack().url}/v1/flows`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: body as never,
  });
  return { status: response.status, text: await response.text() };
};

test.each([
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['identity', (body: string) => body],
])('a body in %s is read', async (coding, pack) => {
  expect(await create(pack(flow), { 'content-encoding': coding })).toMatchObject({ status: 201 });
});

test('a body in another coding, or in none of what it says, is a 415 that says what is read', async () => {
  for (const [coding, body] of [
    ['br', flow],
    ['gzip', flow],
    ['gzip, gzip', gzipSync(gzipSync(flow))],
    ['gzip', gzipSync(flow).subarray(0, 12)],
  ] as const) {
    const refused = await create(body, { 'content-encoding': coding });
    expect(refused).toMatchObject({ status: 415, text: expect.stringContaining('gzip') });
  }
});

test('the limit of a body holds for what it is unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(bodyBytesMax + 1, ' '));
  expect(bomb.length).toBeLessThan(bodyBytesMax / 100);
  expect(await create(bomb, { 'content-encoding': 'gzip' })).toMatchObject({ status: 413 });
});

test('JSON may begin with a byte order mark', async () => {
  expect(await create(`\uFEFF${flow}`, {})).toMatchObject({ status: 201 });
  expect(await create(`\uFEFF\uFEFF${flow}`, {})).toMatchObject({ status: 400 });
});

test.each(['127.0.0.1', '0.0.0.0'])(
  'a service on %s answers on [::1] too, where there is one',
  async (host) => {
    const gateway = createServer((_request, response) => response.end('here'));
    const { stop } = await serveGateway(gateway, 0, host);
    onTestFinished(stop);
    const { port } = gateway.address() as AddressInfo;
    const probe = createServer();
    probe.on('error', () => {}).listen(0, '::1');
    const [hasIpv6] = await Promise.race([
      once(probe, 'listening').then(() => [true]),
      once(probe, 'error').then(() => [false]),
    ]);
    probe.close();
    if (!hasIpv6) return;
    expect(await (await fetch(`http://[::1]:${port}/`)).text()).toBe('here');
  },
);
