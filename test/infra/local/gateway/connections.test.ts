import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createGateway } from '../../../../infra/local/gateway/gateway.ts';
import { close, httpServer, listen } from '../../../../infra/local/runtime/server.ts';
import { newTenant, stack } from '../../../support/stack/stack.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends one request over the only connection of the agent. */
async function over(url: string, method: string, headers: Record<string, string>, body = '') {
  const sent = request(url, { agent, method, headers }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const port = response.socket.localPort;
  await text(response);
  return { status: response.statusCode, headers: response.headers, port };
}

test('a connection that was idle for seven seconds serves a thousand requests', async () => {
  const { token } = await newTenant();
  onTestFinished(() => agent.destroy());
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const first = await over(`${stack().url}/v1/flows`, 'GET', headers);
  expect(first.status).toBe(200);
  expect(Number(/timeout=(\d+)/.exec(String(first.headers['keep-alive']))?.[1])).toBeGreaterThanOrEqual(75);
  await sleep(7_000);
  const ports = new Set([first.port]);
  for (let sent = 0; sent < 1_000; sent++) {
    const method = sent % 2 === 0 ? 'GET' : 'POST';
    const { status, port } = await over(`${stack().url}/v1/nothing`, method, headers);
    expect(status).toBe(404);
    ports.add(port);
  }
  expect([...ports]).toHaveLength(1);
});

test('a server that stops answers what it has begun, and closes the connection', async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  const server = httpServer((_, response) => begun.resolve(response));
  const url = `http://127.0.0.1:${await listen(server, 0, '127.0.0.1')}`;
  const answer = fetch(url);
  const response = await begun.promise;
  const closed = close(server);
  response.end('done');
  const { status, headers } = await answer;
  expect({ status, connection: headers.get('connection') }).toEqual({ status: 200, connection: 'close' });
  await closed;
});

test('a client that closes its sending side receives the response', async () => {
  const { token } = await newTenant();
  const head = `HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  expect(await halfClosed(`GET /v1/flows ${head}\r\n`)).toMatch(/^HTTP\/1.1 200 .*"pagination"/s);
  expect(await halfClosed(`GET /docs ${head}\r\n`)).toMatch(/^HTTP\/1.1 200 .*<html/s);
});

async function halfClosed(bytes: string): Promise<string> {
  const { hostname, port } = new URL(stack().url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.end(bytes);
  const answer = await text(socket);
  socket.destroy();
  return answer;
}

test('a gateway that stops refuses a further request on an open connection', async () => {
  const gateway = createGateway(Promise.resolve({}));
  const port = await listen(gateway, 0, '127.0.0.1');
  const socket = connect(port, '127.0.0.1');
  const begun = once(gateway, 'connection').then(([accepted]) => once(accepted, 'data'));
  // Without bytes of a request, the server would close the connection as idle.
  socket.write('GET /v1/public/health HTTP/1.1\r\n');
  await begun;
  const answer = text(socket);
  const closed = close(gateway);
  socket.write('Host: localhost\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1.1 503 .*connection: close.*The service is stopping/is);
  await closed;
});
