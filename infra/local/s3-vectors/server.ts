import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { log } from '../../../shared/core/log.ts';
import { isFullDisk } from '../runtime/full-disk.ts';
import { close, httpServer, listen } from '../runtime/server.ts';
import { vectorsActions } from './actions.ts';
import { VectorsError, vectorsInvalid } from './errors.ts';
import { openVectors } from './store.ts';

const requestBytesMax = 20 * 1024 * 1024;

/** Emulates the protocol of S3 Vectors (REST JSON). */
export async function startVectorsServer(directory: string | undefined, buckets: readonly string[]) {
  const store = openVectors(directory);
  for (const bucket of buckets) store.addBucket(bucket);
  const actions = vectorsActions(store);
  const server = httpServer(async (request, response) => {
    const { status, type, body } = await text(request)
      .then((sent) => ({ status: 200, type: undefined, body: perform(actions, request.url, sent) }))
      .catch(failure);
    if (type) response.setHeader('x-amzn-errortype', type);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const port = await listen(server, 0, '127.0.0.1');
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      await close(server);
      store.close();
    },
  };
}

function perform(actions: ReturnType<typeof vectorsActions>, url: string | undefined, sent: string): object {
  const name = url?.slice(1) ?? '';
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (!action)
    throw new VectorsError(
      'UnknownOperationException',
      404,
      `This stand-in does not implement the operation: ${name}`,
    );
  if (Buffer.byteLength(sent) > requestBytesMax)
    throw vectorsInvalid(`A request has ${requestBytesMax} bytes at most`);
  return action(JSON.parse(sent || '{}'));
}

function failure(error: unknown): { status: number; type: string; body: object } {
  if (error instanceof VectorsError) {
    return { status: error.status, type: error.type, body: { message: error.message } };
  }
  if (error instanceof z.ZodError || error instanceof SyntaxError) {
    return { status: 400, type: 'ValidationException', body: { message: error.message } };
  }
  log.error('The S3 Vectors stand-in failed', { error });
  return {
    status: isFullDisk(error) ? 507 : 500,
    type: 'InternalServerException',
    body: { message: 'Internal error' },
  };
}
