import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';

const headEnd = Buffer.alloc(8);
const headBytesMax = 64 * 1024;

interface Head {
  statusCode?: number;
  headers?: Record<string, string>;
}

/**
 * Converts the output of a streaming Lambda to an HTTP response, like API Gateway: JSON headers, eight zero bytes, the
 * body. Sends each piece of the body when it arrives. Destroyed when the client disconnects.
 */
export function responseStream(response: ServerResponse, requestId: string): Writable {
  let head: Buffer | undefined = Buffer.alloc(0);

  const begin = (bytes: Buffer): Buffer | undefined => {
    const seen = Buffer.concat([head ?? Buffer.alloc(0), bytes]);
    const at = seen.indexOf(headEnd);
    head = seen;
    if (at === -1) {
      if (seen.length > headBytesMax) throw new Error('The streamed response has no head');
      return undefined;
    }
    head = undefined;
    const { statusCode = 200, headers = {} } = JSON.parse(seen.subarray(0, at).toString()) as Head;
    response.writeHead(statusCode, { ...headers, 'x-amzn-requestid': requestId });
    response.flushHeaders();
    return seen.subarray(at + headEnd.length);
  };

  const stream = new Writable({
    write(chunk: Buffer | string, encoding, done) {
      try {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
        const body = head ? begin(bytes) : bytes;
        if (body && body.length > 0) response.write(body, done);
        else done();
      } catch (error) {
        done(error as Error);
      }
    },
    final(done) {
      if (head) return done(new Error('The streamed response has no head'));
      response.end(done);
    },
    destroy(error, done) {
      if (error) response.destroy();
      done(error);
    },
  });
  // The writer sees the error. Before the Lambda starts writing there is no listener, and Node would end the process.
  stream.on('error', () => {});
  response.on('close', () => {
    if (!stream.writableFinished) stream.destroy(new Error('The client disconnected'));
  });
  return stream;
}
