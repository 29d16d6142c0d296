import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { postOnly } from '../../../../shared/adapters/net/post-only.ts';
import { safeFetch } from '../../../../shared/adapters/net/safe-fetch.ts';
import { makeStreamingFetch } from '../../../../shared/adapters/net/streaming-fetch.ts';

/** A server in a thread of its own, which closes its connections while this one is busy. That nothing is sent on them is undici's work. */
const program = `
const { createServer } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const flag = new Int32Array(workerData);
let requests = 0;
const server = createServer((request, response) => {
  requests++;
  request.resume().on('end', () => response.end('request ' + requests));
});
const sockets = new Set();
server.on('connection', (socket) => sockets.add(socket));
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
parentPort.on('message', () => {
  const closed = [...sockets].map((socket) => new Promise((done) => socket.once('close', done)));
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  Promise.all(closed).then(() => {
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
  });
});
`;

async function closingServer() {
  const shared = new SharedArrayBuffer(4);
  const worker = new Worker(program, { eval: true, workerData: shared });
  onTestFinished(() => void worker.terminate());
  const [port] = await once(worker, 'message');
  vi.stubEnv('ALLOWED_HOSTS', `127.0.0.1:${port}`);
  const flag = new Int32Array(shared);
  return {
    url: `http://127.0.0.1:${port}/`,
    /** As a Lambda that sleeps: nothing is read meanwhile. */
    closeWhileBusy(): void {
      worker.postMessage('close');
      Atomics.wait(flag, 0, 0);
    },
  };
}

const { signal } = new AbortController();
const post = { method: 'POST' as const, headers: {}, body: 'x', timeoutMs: 5_000, signal };

const senders: Record<string, (url: string) => Promise<number>> = {
  safeFetch: async (url) => (await safeFetch({ ...post, url })).status,
  postOnly: async (url) => (await postOnly({ ...post, url })).status,
  'streamingFetch, guarded': async (url) =>
    (await makeStreamingFetch(() => 1_000, true)(url, { method: 'POST', body: 'x' })).status,
  streamingFetch: async (url) =>
    (await makeStreamingFetch(() => 1_000, false)(url, { method: 'POST', body: 'x' })).status,
};

test.each(Object.entries(senders))(
  '%s: a POST after the server closed the kept connection goes out on a new one',
  async (_name, send) => {
    const { url, closeWhileBusy } = await closingServer();
    expect(await send(url)).toBe(200);
    closeWhileBusy();
    expect(await send(url)).toBe(200);
  },
);
