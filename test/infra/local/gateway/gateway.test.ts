import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { generateKey } from '../../../../shared/platform/auth/key-format.ts';
import { notFoundBody } from '../../../support/stack/errors.ts';
import { call, callerWith, newTenant, stack } from '../../../support/stack/stack.ts';

const unauthorized = { error: 'Unauthorized', details: 'The API key is invalid or missing' };
const anyFlow = () => `/v1/flows/${newId('flow')}`;

test('a request with a session reaches its Lambda, and the response has rate-limit headers', async () => {
  const tenant = await newTenant();
  const answer = await tenant.call('GET', anyFlow());
  expect(answer).toMatchObject({ status: 404, body: notFoundBody('Flow') });
  expect(Number(answer.headers.get('x-ratelimit-limit'))).toBeGreaterThan(0);
});

test('local routes reject requests with a foreign Host header (DNS rebinding)', async () => {
  const ask = (host: string) =>
    new Promise<string>((resolve) => {
      const { hostname, port } = new URL(stack().url);
      const socket = connect(Number(port), hostname);
      const head = [
        'POST /local/sessions HTTP/1.1',
        `Host: ${host}`,
        'Content-Length: 2',
        'Connection: close',
      ];
      socket.write([...head, '', '{}'].join('\r\n'));
      text(socket).then(resolve);
    });
  expect(await ask('evil.example.com')).toMatch(/^HTTP\/1.1 403 /);
  expect(await ask('localhost:3000')).not.toMatch(/^HTTP\/1.1 403 /);
});

test('the printed live and test keys are accepted', async () => {
  for (const key of [stack().liveKey, stack().testKey]) {
    expect(await callerWith(key)('GET', anyFlow())).toMatchObject({
      status: 404,
      body: notFoundBody('Flow'),
    });
  }
});

test.each([
  ['no credential', {}],
  ['a key that does not exist', { authorization: `Bearer ${generateKey('production')}` }],
  ['a token that nobody signed', { authorization: 'Bearer a.b.c' }],
  ['a credential over 8 KB', { authorization: `Bearer ${'x'.repeat(9_000)}` }],
])('%s: 401 with the headers of every response', async (_, headers) => {
  const answer = await call('GET', anyFlow(), { headers });
  expect(answer).toMatchObject({ status: 401, body: unauthorized });
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'www-authenticate': 'Bearer',
    'x-ratelimit-limit': '1000',
    'x-ratelimit-remaining': '1000',
    'x-ratelimit-reset': '0',
  });
});

test('two Authorization headers: 401, even if both are valid', async () => {
  const { token } = await newTenant();
  const header = `Authorization: Bearer ${token}\r\n`;
  const path = anyFlow();
  expect(await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\n${header}Connection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 404/,
  );
  expect(await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\n${header}${header}Connection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1.1 401/,
  );
});

test('an unknown route or method: 404 that names the method and path', async () => {
  const { call } = await newTenant();
  expect(await call('GET', '/v1/nothing?a=b')).toMatchObject({
    status: 404,
    body: {
      error: 'Not found',
      details: [{ message: expect.stringMatching(/^No such endpoint: GET \/v1\/nothing\. /) }],
    },
  });
  const path = anyFlow();
  expect(await call('PATCH', path, { body: {} })).toMatchObject({
    status: 404,
    body: {
      error: 'Not found',
      details: [{ message: expect.stringContaining(`No such endpoint: PATCH ${path}.`) }],
    },
  });
});

test('a double slash in the path: 404 that mentions it', async () => {
  const { call } = await newTenant();
  const answer = await call('GET', '//v1/flows');
  expect(answer.status).toBe(404);
  expect(answer.body.details[0].message).toContain(
    'GET //v1/flows. Check the method, and the path for a typing error or a double slash',
  );
});

test('HEAD returns no body, and the connection stays open', async () => {
  const answer = await raw(
    'HEAD /v1/nothing HTTP/1.1\r\nHost: x\r\n\r\nGET /v1/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect(answer.match(/HTTP\/1.1 404/g)).toHaveLength(2);
  expect(answer.match(/No such endpoint/g)).toHaveLength(1);
});

test('a pipelined request waits for the previous response', async () => {
  const { token } = await newTenant();
  const head = (method: string, more = '') =>
    `${method} /v1/flows HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;
  const create = (name: string) => {
    const body = JSON.stringify({ name, flowSteps: [] });
    return head('POST', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`) + body;
  };
  const list = (more = '') => head('GET', more);
  const answer = await raw(create('One') + list() + create('Two') + list('Connection: close\r\n'));
  const lists = answer.split(/HTTP\/1.1 (?=\d)/).filter((each) => each.includes('"pagination"'));
  expect(lists.map((each) => each.match(/"name":"\w+"/g))).toEqual([
    ['"name":"One"'],
    ['"name":"Two"', '"name":"One"'],
  ]);
});

test('a body over 10 MB: 413', async () => {
  const { call } = await newTenant();
  const answer = await call('POST', '/v1/api-keys', { body: 'x'.repeat(10 * 1024 * 1024 + 1) });
  expect(answer).toMatchObject({ status: 413, body: 'HTTP content length exceeded 10485760 bytes.' });
});

test('a session token is issued for any user; an invalid request for one returns what is wrong', async () => {
  expect((await call('POST', '/local/sessions', { body: { userId: randomUUID() } })).status).toBe(200);
  expect(await call('POST', '/local/sessions', { body: { user: 'x' } })).toMatchObject({
    status: 400,
    body: {
      error: 'Validation error',
      details: expect.arrayContaining([expect.objectContaining({ path: 'userId' })]),
    },
  });
  expect(await call('POST', '/local/sessions', { body: '{' })).toMatchObject({
    status: 400,
    body: { details: [{ code: 'MALFORMED_JSON' }] },
  });
});

test('the issuer publishes what a verifier needs but no private key', async () => {
  const { body } = await call('GET', '/local/oidc/.well-known/openid-configuration');
  expect(body).toMatchObject({
    issuer: `${stack().url}/local/oidc`,
    jwks_uri: `${stack().url}/local/oidc/jwks`,
  });
  const { body: jwks } = await call('GET', '/local/oidc/jwks');
  expect(jwks.keys).toEqual([expect.objectContaining({ kty: 'EC', alg: 'ES256' })]);
  expect(jwks.keys[0]).not.toHaveProperty('d');
});

async function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(stack().url);
  const socket = connect(Number(port), hostname);
  socket.write(request);
  return text(socket);
}
