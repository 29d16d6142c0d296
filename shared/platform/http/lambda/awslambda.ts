import type { Writable } from 'node:stream';

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
