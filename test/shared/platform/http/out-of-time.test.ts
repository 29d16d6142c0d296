import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { defineEndpoint } from '../../../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../../../shared/platform/http/lambda/lambda.ts';

test('a request that exceeds its time limit returns a plain-language 504, and its signal is aborted', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  let seen: AbortSignal | undefined;
  const endless = defineEndpoint({
    id: 'test.endless',
    method: 'GET',
    path: '/v1/endless',
    permission: 'public',
    scope: 'none',
    summary: 'Never ends',
    response: { kind: 'json', bodies: { 200: z.object({}) } },
    needs: {},
    handle: ({ signal }) => {
      seen = signal;
      return new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  });
  const event = { headers: {}, body: null, requestContext: { requestId: 'test' } } as APIGatewayProxyEvent;
  const context = { getRemainingTimeInMillis: () => 510 } as Context;
  const handler = toLambda(endless) as unknown as (
    event: APIGatewayProxyEvent,
    context: Context,
  ) => Promise<APIGatewayProxyResult>;
  const answer = await handler(event, context);
  expect(answer.statusCode).toBe(504);
  expect(JSON.parse(answer.body)).toEqual({
    error: 'Gateway timeout',
    details: [{ code: 'TIMEOUT', message: expect.stringContaining('timed out') }],
  });
  expect(seen?.aborted).toBe(true);
});
