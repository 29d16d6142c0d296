import * as z from 'zod';
import { restErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { respondToRest } from '../../shared/adapters/a2a-server/respond-rest.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface, readSurfaceAhead } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { keyOrUser } from './caller.ts';
import { A2aSentTask, SendMessageBody } from './schemas.ts';

const operations = { 'message:send': 'send', 'message:stream': 'stream' } as const;

export const sendA2aMessage = defineEndpoint({
  id: 'surface-a2a.send-message',
  method: 'POST',
  path: `${a2aPath}/{operation}`,
  noIdempotencyKey: 'A2A gives messages ids of their own',
  requestHeaders: a2aHeaders,
  errorBody: restErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'Send a message to an a2a surface',
  description:
    'The operations `message:send` and `message:stream` of the HTTP+JSON binding of A2A 1.0. They do what `SendMessage` and `SendStreamingMessage` of JSON-RPC do; `message:stream` responds with server-sent events. 400 also for a message that the protocol refuses, 404 also for an unknown task.',
  params: SurfaceParams.extend({ operation: z.enum(['message:send', 'message:stream']) }),
  body: SendMessageBody,
  exactNumbers: true,
  open: 'run',
  response: { kind: 'stream', mediaType: 'application/json', body: A2aSentTask },
  errors: [400, 404, 422, 503],
  needs: { scope: a2aScope },

  readAhead: (request, { scope }) => readSurfaceAhead(scope, request),

  async handle({ body, ...request }, { scope }) {
    const { params, header, requestId } = request;
    const { agent, gone } = await openSurface(scope, request);
    const operation = { name: operations[params.operation], body };
    return respondToRest(operation, { version: header('a2a-version'), requestId, gone }, agent);
  },
});

export const handler = toStreamingLambda(sendA2aMessage);
