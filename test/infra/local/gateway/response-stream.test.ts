import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { responseStream } from '../../../../infra/local/gateway/response-stream.ts';

test('writing a response fails if the client has already disconnected', async () => {
  const begun = Promise.withResolvers<Writable>();
  const server = createServer((_request, response) => begun.resolve(responseStream(response, 'id')));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = request({ port: (server.address() as AddressInfo).port }).on('error', () => {});
  client.end();
  const stream = await begun.promise;
  client.destroy();
  // Nobody listens to the stream yet: an error that it emits now would end the process.
  await new Promise((resolve) => stream.once('close', resolve));
  await expect(pipeline(Readable.from(['late']), stream)).rejects.toThrow();
  server.close();
});
