import type { Writable } from 'node:stream';

export type StreamingHandler = (event: unknown, stream: Writable, context: unknown) => Promise<void>;

/** What Lambda's runtime puts between the response's head and its body. */
export const preludeEnd = '\0'.repeat(8);

export interface AwsLambda {
  streamifyResponse: (handler: StreamingHandler) => StreamingHandler;
  HttpResponseStream: { from: (stream: Writable, head: object) => Writable };
}

/** Lambda's own `awslambda`, for where there is none: the same marks and the same bytes. */
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

/** The global `awslambda`, completed by the stand-in. */
export function awsLambda(): AwsLambda {
  const global: { awslambda?: unknown } = globalThis;
  // The SDK may have put an object of its own there.
  global.awslambda = Object.assign(global.awslambda ?? {}, {
    ...standIn,
    ...(global.awslambda as Partial<AwsLambda>),
  });
  return global.awslambda as AwsLambda;
}
