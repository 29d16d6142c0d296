import * as z from 'zod';
import { restErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { respondToRest } from '../../shared/adapters/a2a-server/respond-rest.ts';
import { wholeNumber } from '../../shared/platform/data/lists/query-values.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { keyOrUser } from './caller.ts';
import { A2aTaskResponse } from './schemas.ts';

export const getA2aTask = defineEndpoint({
  id: 'surface-a2a.get-task',
  method: 'GET',
  path: `${a2aPath}/tasks/{taskId}`,
  requestHeaders: a2aHeaders,
  errorBody: restErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'Get a task of an a2a surface',
  description:
    'The operation `GetTask` of the HTTP+JSON binding of A2A 1.0, and with `:subscribe` after the id `SubscribeToTask`, which responds with server-sent events. 404 also for the task of another caller.',
  params: SurfaceParams.extend({
    taskId: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,256}(:subscribe)?$/)
      .meta({ example: 'task_01k9m4v7d3x8qz5w2r6t0y1hbn' }),
  }),
  query: z.object({
    historyLength: wholeNumber(0, 1_000).optional().meta({ description: 'Default: all messages' }),
  }),
  open: ({ params }) => (params.taskId.endsWith(':subscribe') ? 'reader' : 'brief'),
  response: { kind: 'stream', mediaType: 'application/json', body: A2aTaskResponse },
  errors: [400, 404, 422, 503],
  needs: { scope: a2aScope },

  async handle({ query: { historyLength }, ...request }, { scope }) {
    const { header, requestId, params } = request;
    const { agent, gone } = await openSurface(scope, request);
    const [id = '', action] = params.taskId.split(':');
    const operation = action
      ? { name: 'subscribe' as const, id }
      : { name: 'get' as const, id, historyLength };
    return respondToRest(operation, { version: header('a2a-version'), requestId, gone }, agent);
  },
});

export const handler = toStreamingLambda(getA2aTask);
