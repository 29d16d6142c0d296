import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { oneAtATimePerConnection } from '../../../../infra/local/gateway/gateway.ts';

const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

/** A server that answers when the test does. */
async function waitingServer() {
  const open: ServerResponse[] = [];
  const server = createServer(oneAtATimePerConnection((_request, response) => open.push(response)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  return { open, socket };
}

test('waiting requests of a closed connection are not started', async () => {
  const { open, socket } = await waitingServer();
  socket.write(get.repeat(3));
  await expect.poll(() => open.length).toBe(1);
  const gone = once(open[0] as ServerResponse, 'close');
  socket.destroy();
  await gone;
  await new Promise(setImmediate);
  expect(open).toHaveLength(1);
});

test('a connection with a thousand waiting requests is closed on the next request', async () => {
  const { open, socket } = await waitingServer();
  socket.write(get.repeat(1_001));
  expect(await text(socket).catch(() => '')).toBe('');
  expect(open).toHaveLength(1);
});
