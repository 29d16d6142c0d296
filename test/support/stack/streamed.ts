import { PassThrough } from 'node:stream';
import type { Context } from 'aws-lambda';
import { preludeEnd, type StreamingHandler } from '../../../shared/platform/http/lambda/awslambda.ts';
import { ownAddress } from '../servers/own-address.ts';
import { tenantPrincipal } from './principals.ts';
import type { Tenant } from './stack.ts';

/** Invokes a streaming Lambda in this process, as API Gateway would; its answer comes through the stream. */
export function invokeStreaming(
  handler: StreamingHandler,
  tenant: Tenant,
  body: object,
  remainingMs = 60_000,
  more: object = {},
) {
  const stream = new PassThrough();
  const event = {
    httpMethod: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    isBase64Encoded: false,
    pathParameters: null,
    queryStringParameters: null,
    requestContext: {
      requestId: 'test',
      authorizer: tenantPrincipal(tenant),
      identity: { sourceIp: ownAddress },
    },
    ...more,
  };
  const context = { getRemainingTimeInMillis: () => remainingMs, awsRequestId: 'test' } as Context;
  const done = handler(event, stream, context);
  done.catch(() => {});
  return { stream, done };
}

/** What a streaming Lambda wrote: the head that it sent before, and the body. */
export async function readStreamedAnswer(
  stream: PassThrough,
): Promise<{ head: { statusCode: number }; body: string }> {
  const text = (await stream.setEncoding('utf8').toArray()).join('');
  const [head = '', body = ''] = text.split(preludeEnd);
  return { head: JSON.parse(head), body };
}
