import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { newTenant, stack } from '../../../support/stack/stack.ts';

/** Sends the head of a request to create a record, and nothing of its body. */
function sendHead(credential: string, bytes: number, ...more: string[]) {
  const { hostname, port } = new URL(stack().url);
  const socket = connect({ port: Number(port), host: hostname });
  onTestFinished(() => void socket.destroy());
  const lines = [
    'POST /v1/records HTTP/1.1',
    'Host: localhost',
    `Authorization: Bearer ${credential}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
    ...more,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

test('a request without a valid credential is refused before its body is read', async () => {
  const socket = sendHead('unknown', 9_000_000);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 401 /);
});

test('a client that still sends its body receives the refusal, and may use the connection again', async () => {
  const body = 'x'.repeat(5_000_000);
  const socket = sendHead('unknown', body.length);
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(body);
  await expect.poll(() => received).toMatch(/^HTTP\/1.1 401 /);
  socket.write('GET /v1/public/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await expect.poll(() => received).toContain('HTTP/1.1 200 OK');
});

test('a client that waits to be asked for its body is asked after its credential is accepted', async () => {
  const { token } = await newTenant();
  const body = '{"type":"t","name":"n"}';
  const accepted = sendHead(token, body.length, 'Expect: 100-continue', 'Connection: close');
  expect(String((await once(accepted, 'data'))[0])).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n/);
  accepted.write(body);
  expect(await text(accepted)).toMatch(/^HTTP\/1.1 201 /);

  const refused = await text(sendHead('unknown', body.length, 'Expect: 100-continue'));
  expect(refused).toMatch(/^HTTP\/1.1 401 .*connection: close/is);
});

test('a body above 10 MB is refused by its length', async () => {
  const { token } = await newTenant();
  const socket = sendHead(token, 11_000_000);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 413 /);
});
