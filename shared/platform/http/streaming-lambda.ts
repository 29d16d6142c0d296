import type { Writable } from 'node:stream';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Runtime } from '../runtime.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { toLambda } from './lambda.ts';

export type StreamingHandler = (event: unknown, stream: Writable, context: unknown) => Promise<void>;

/** What Lambda's runtime puts between the answer's head and its body. */
export const preludeEnd = '\0'.repeat(8);

/** Lambda's own `awslambda`, for where there is none: the same marks and the same bytes. */
const standIn = {
  streamifyResponse(handler: StreamingHandler): StreamingHandler {
    return Object.assign(handler, { [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'response' });
  },
  HttpResponseStream: {
    from(stream: Writable, head: object): Writable {
      stream.write(JSON.stringify(head) + preludeEnd);
      return stream;
    },
  },
};

/** One endpoint as a Lambda whose answer is streamed, through the same stack as the others. */
export function toStreamingLambda(endpoint: AnyEndpoint, loadRuntime?: () => Runtime) {
  const global = globalThis as { awslambda?: object };
  // The SDK may have put an object of its own there.
  global.awslambda = Object.assign(global.awslambda ?? {}, { ...standIn, ...global.awslambda });
  return toLambda(endpoint, loadRuntime, executionModeStreamifyResponse) as unknown as StreamingHandler;
}
