import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { type BodyBounds, bodyReader } from '../../../../infra/local/gateway/bodies.ts';
import { boundConnections } from '../../../../infra/local/gateway/connections.ts';
import { httpServer } from '../../../../infra/local/runtime/server.ts';
import { ServiceError } from '../../../../shared/core/errors/errors.ts';

/** On loopback, every address is one of this machine. */
const [first, second] = ['127.0.0.1', '127.0.0.2'] as const;

async function listening(server: ReturnType<typeof httpServer>): Promise<number> {
  server.listen(0, first);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function opened(port: number, localAddress: string): Promise<Socket> {
  const socket = connect({ port, host: first, localAddress });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function answerOn(socket: Socket): Promise<string> {
  const answer = once(socket, 'data');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return String((await answer)[0]).split('\r\n', 1)[0] ?? '';
}

test('idle connections give way to new ones, the longest idle of the network with the most first', async () => {
  const server = httpServer((_request, response) => void response.end('done'));
  boundConnections(server, { total: 4, perNetwork: 3 });
  const port = await listening(server);
  const kept = await opened(port, second);
  expect(await answerOn(kept)).toContain('200');
  const idle: Socket[] = [];
  for (let count = 0; count < 3; count++) idle.push(await opened(port, first));
  const closed = once(idle[0] as Socket, 'close');
  expect(await answerOn(await opened(port, first))).toContain('200');
  await closed;
  const next = once(idle[1] as Socket, 'close');
  expect(await answerOn(await opened(port, second))).toContain('200');
  await next;
  expect(await answerOn(kept)).toContain('200');
});

test('where no connection is idle, a network above its share gets a 503, and another one is answered', async () => {
  const server = httpServer((request, response) => {
    if (request.url === '/') response.end('done');
  });
  boundConnections(server, { total: 4, perNetwork: 2 });
  const port = await listening(server);
  for (let count = 0; count < 2; count++) {
    const busy = await opened(port, first);
    const begun = once(server, 'request');
    busy.write('GET /for-ever HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await begun;
  }
  const refused = await text(await opened(port, first));
  expect(refused).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\n.*Retry-After: 1\r\n.*"code":"BUSY"/s);
  expect(await answerOn(await opened(port, second))).toContain('200');
});

const usual: BodyBounds = {
  bytes: 3_000_000,
  bytesPerNetwork: 2_000_000,
  bytesPerSecondMin: 500,
  graceMs: 60_000,
  bodyMsMax: 300_000,
};

/** A server that says how many bytes it read, or why not. */
async function reading(bounds: Partial<BodyBounds> = {}) {
  const read = bodyReader({ ...usual, ...bounds });
  const server = httpServer(async (request, response) => {
    const body = await read(request, response).catch((error) =>
      error instanceof ServiceError ? error.code : String(error),
    );
    response.end(Buffer.isBuffer(body) ? String(body.length) : body);
  });
  await listening(server);
  return server;
}

/** Announces a body, sends a part of it, and waits until the server has begun to read. */
async function sending(server: Server, localAddress: string, headers: Record<string, string | number>) {
  const { port } = server.address() as AddressInfo;
  const sent = httpRequest({ port, host: first, localAddress, method: 'POST', headers, agent: false });
  sent.on('error', () => {});
  onTestFinished(() => void sent.destroy());
  const answer = once(sent, 'response').then(([response]) => text(response as IncomingMessage));
  answer.catch(() => {});
  const begun = once(server, 'request');
  sent.write('x');
  await begun;
  return { sent, answer };
}

test('the bodies in flight are bounded for a network and for all, and their end frees the room', async () => {
  const server = await reading();
  const announced = { 'content-length': 1_500_000 };
  const whole = 'x'.repeat(1_499_999);
  const begun = await sending(server, first, announced);
  expect(await (await sending(server, first, announced)).answer).toBe('RATE_LIMITED');
  const other = await sending(server, second, announced);
  expect(await (await sending(server, '127.0.0.3', announced)).answer).toBe('BUSY');
  expect(await (await sending(server, first, { 'content-length': 1 })).answer).toBe('1');
  for (const { sent, answer } of [begun, other]) {
    sent.end(whole);
    expect(await answer).toBe('1500000');
  }
  const again = await sending(server, first, announced);
  again.sent.end(whole);
  expect(await again.answer).toBe('1500000');
});

test('a body without a length counts with what has arrived', async () => {
  const server = await reading();
  const { sent, answer } = await sending(server, first, { 'transfer-encoding': 'chunked' });
  sent.end('x'.repeat(2_100_000));
  expect(await answer).toBe('RATE_LIMITED');
  const smaller = await sending(server, first, { 'transfer-encoding': 'chunked' });
  smaller.sent.end('x'.repeat(1_900_000));
  expect(await smaller.answer).toBe('1900001');
});

test('a client that leaves frees its room', async () => {
  const server = await reading();
  const announced = { 'content-length': 2_000_000 };
  const { sent } = await sending(server, first, announced);
  expect(await (await sending(server, first, announced)).answer).toBe('RATE_LIMITED');
  sent.destroy();
  await expect
    .poll(async () => {
      const { sent: next, answer } = await sending(server, first, announced);
      next.end('x'.repeat(1_999_999));
      return answer;
    })
    .toBe('2000000');
});

test('a body that arrives more slowly than the least rate is refused', async () => {
  const server = await reading({ graceMs: 20, bytesPerSecondMin: 1_000_000 });
  expect(await (await sending(server, first, { 'content-length': 1_000 })).answer).toBe('too slow');
});

test('a body that ceases to arrive is refused, however fast it was before', async () => {
  const server = await reading({ graceMs: 200, bytesPerSecondMin: 100 });
  const { sent, answer } = await sending(server, first, { 'content-length': 1_000_000 });
  sent.write('x'.repeat(900_000));
  expect(await answer).toBe('too slow');
});

test.each([{ 'content-length': 1_900_000 }, { 'transfer-encoding': 'chunked' }])(
  'a body that arrives without a pause is refused when its time is over: %j',
  async (headers) => {
    const server = await reading({ graceMs: 40, bodyMsMax: 200, bytesPerSecondMin: 1 });
    const { sent, answer } = await sending(server, first, headers);
    const timer = setInterval(() => sent.write('x'.repeat(100)), 2);
    onTestFinished(() => clearInterval(timer));
    expect(await answer).toBe('too slow');
  },
);
