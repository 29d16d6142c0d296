import type { ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { streamedBytesMax } from '../../../shared/platform/http/responses/body-sizes.ts';
import { remappedHeaders } from './remapped-headers.ts';

const headEnd = Buffer.alloc(8);
const headBytesMax = 64 * 1024;

interface Head {
  statusCode?: number;
  headers?: Record<string, string>;
}

/**
 * Converts the output of a streaming Lambda to an HTTP response, like API Gateway. The output is the head (status and
 * headers as JSON), eight zero bytes and the body. The stream sends each piece of the body when it arrives, and is
 * destroyed when the client disconnects. A response over Lambda's limit is cut off.
 */
export function responseStream(
  response: ServerResponse,
  requestId: string,
  bytesMax = streamedBytesMax,
): Writable {
  let bytesLeft = bytesMax;
  let head: Buffer | undefined = Buffer.alloc(0);

  const begin = (bytes: Buffer): Buffer | undefined => {
    const received = Buffer.concat([head ?? Buffer.alloc(0), bytes]);
    const at = received.indexOf(headEnd);
    head = received;
    if (at === -1) {
      if (received.length > headBytesMax) throw new Error('The streamed response has no head');
      return undefined;
    }
    head = undefined;
    const { statusCode = 200, headers = {} } = JSON.parse(received.subarray(0, at).toString()) as Head;
    response.writeHead(statusCode, { ...remappedHeaders(headers), 'x-amzn-requestid': requestId });
    // With the first bytes of the body, if they come at once.
    setImmediate(() => response.flushHeaders());
    return received.subarray(at + headEnd.length);
  };

  const stream = new Writable({
    write(chunk: Buffer | string, encoding, done) {
      try {
        const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;
        bytesLeft -= bytes.length;
        if (bytesLeft < 0) throw new Error(`The streamed response has more than ${bytesMax} bytes`);
        const body = head ? begin(bytes) : bytes;
        // What follows in the same turn of the event loop goes out with it.
        if (!body || body.length === 0 || response.write(body)) done();
        else response.once('drain', done);
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
  // The Lambda gets the error from its writes. Without this listener, an error before its first write would end Node.
  stream.on('error', () => {});
  const leave = () => {
    if (!stream.writableFinished) stream.destroy(new Error('The client disconnected'));
  };
  // The client may have disconnected while the request was read or authorized.
  if (response.closed || response.destroyed) leave();
  else response.once('close', leave);
  return stream;
}
