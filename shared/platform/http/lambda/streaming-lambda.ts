import type { Writable } from 'node:stream';
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Runtime } from '../../runtime.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { openRequest } from '../open-requests.ts';
import { toLambda } from './lambda.ts';

/** Builds a response-streaming Lambda handler of an endpoint, with the same request stack. */
export function toStreamingLambda(endpoint: AnyEndpoint, loadRuntime?: () => Runtime) {
  // Middy requires the global. The runtime recognises a streaming handler by the mark that `streamifyResponse` sets.
  const { streamifyResponse } = awsLambda();
  const handler = toLambda(endpoint, loadRuntime, {
    executionMode: executionModeStreamifyResponse,
    openRequest,
  });
  return streamifyResponse(handler as unknown as StreamingHandler);
}

/** Builds the Lambda handler of an endpoint whose requests last, but whose response is JSON. */
export const toLastingLambda = (endpoint: AnyEndpoint, loadRuntime?: () => Runtime) =>
  toLambda(endpoint, loadRuntime, { openRequest });

export type StreamingHandler = (event: unknown, stream: Writable, context: unknown) => Promise<void>;

/** Lambda's separator between the response headers and the body. */
export const preludeEnd = '\0'.repeat(8);

export interface AwsLambda {
  streamifyResponse: (handler: StreamingHandler) => StreamingHandler;
  HttpResponseStream: { from: (stream: Writable, head: object) => Writable };
}

/** A stand-in for Lambda's global `awslambda` that writes the same bytes. */
const standIn: AwsLambda = {
  streamifyResponse(handler) {
    return Object.assign(handler, { [Symbol.for('aws.lambda.runtime.handler.streaming')]: 'response' });
  },
  HttpResponseStream: {
    from(stream, head) {
      stream.write(JSON.stringify(head) + preludeEnd);
      return stream;
    },
  },
};

/** The global `awslambda`, completed with the stand-in. */
export function awsLambda(): AwsLambda {
  const global: { awslambda?: unknown } = globalThis;
  // The SDK may have set a partial object.
  global.awslambda = Object.assign(global.awslambda ?? {}, {
    ...standIn,
    ...(global.awslambda as Partial<AwsLambda>),
  });
  return global.awslambda as AwsLambda;
}
