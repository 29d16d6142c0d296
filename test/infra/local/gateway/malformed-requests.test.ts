import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { refuseMalformed } from '../../../../infra/local/gateway/gateway.ts';

/** @returns what a connection receives after a request that is read, whose response is begun, and what follows it. */
async function received(begins: boolean, then: string) {
  const server = createServer((_request, response) => {
    if (begins) response.write('begun');
  }).listen(0, '127.0.0.1');
  refuseMalformed(server);
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => {});
  if (begins) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'readable');
  }
  socket.write(then);
  return text(socket).catch(() => '');
}

test.each([
  ['no HTTP', 'nothing\r\n\r\n', 400, 'MALFORMED_REQUEST'],
  [
    'a body that is no chunk',
    'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx',
    400,
    'MALFORMED_REQUEST',
  ],
  ['long headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'TOO_LARGE'],
])('%s: the response says what is wrong', async (_, request, status, code) => {
  const [head = '', body = ''] = (await received(false, request)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} .*x-ratelimit-limit: \\d+`, 'is'));
  expect(JSON.parse(body).details).toEqual([{ code, message: expect.any(String) }]);
});

test('nothing is put into a response that is under way', async () => {
  expect(await received(true, 'nothing\r\n\r\n')).not.toContain('HTTP/1.1 400');
});
