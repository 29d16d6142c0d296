import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { toAuthorizerEvent, toProxyEvent } from '../../../../infra/local/gateway/proxy-event.ts';
import { encoded } from '../../../../infra/local/runtime/http-messages.ts';
import { listen } from '../../../../infra/local/runtime/server.ts';

test('headers keep their names and all values; the single-value map has the last one', async () => {
  const event = toProxyEvent(await received('X-One: a\r\nx-two: b\r\nx-two: c\r\n'), '/v1/flows', '');
  expect(event.multiValueHeaders).toMatchObject({ 'X-One': ['a'], 'x-two': ['b', 'c'] });
  expect(event.headers).toMatchObject({ 'X-One': 'a', 'x-two': 'c' });
});

test('query parameters are decoded, or null if there are none', async () => {
  const request = await received('');
  const event = toProxyEvent(request, '/v1/flows', 'a=1&b=x%20y&a=2&__proto__=z');
  expect(event.queryStringParameters).toEqual({ a: '2', b: 'x y', ['__proto__']: 'z' });
  expect(event.multiValueQueryStringParameters).toMatchObject({ a: ['1', '2'] });
  expect(toProxyEvent(request, '/v1/flows', '')).toMatchObject({
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    requestContext: { identity: { sourceIp: '127.0.0.1' }, stage: 'local', path: '/v1/flows' },
  });
});

test('the authorizer event has the method and path but no body', async () => {
  const event = { ...toProxyEvent(await received(''), '/v1/flows', ''), body: 'secret' };
  const asked = toAuthorizerEvent(event);
  expect(asked).toMatchObject({
    type: 'REQUEST',
    methodArn: expect.stringMatching(/\/local\/GET\/v1\/flows$/),
  });
  expect(asked).not.toHaveProperty('body');
});

test('only multipart bodies are base64-encoded', () => {
  const bytes = Buffer.from([0xff, 0x00]);
  expect(encoded(bytes, 'multipart/form-data; boundary=x')).toEqual({ body: '/wA=', isBase64Encoded: true });
  expect(encoded(Buffer.from('{"ä":1}'), 'application/json')).toEqual({
    body: '{"ä":1}',
    isBase64Encoded: false,
  });
  expect(encoded(Buffer.alloc(0), 'application/json')).toEqual({ body: null, isBase64Encoded: false });
});

/** A request as Node's server reads it from the wire. */
async function received(headers: string): Promise<IncomingMessage> {
  const server = createServer();
  const port = await listen(server, 0, '127.0.0.1');
  const request = new Promise<IncomingMessage>((resolve) => {
    server.once('request', (incoming, response) => {
      resolve(incoming);
      response.end();
      server.close();
    });
  });
  connect(port, '127.0.0.1').end(`GET / HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`);
  return request;
}
