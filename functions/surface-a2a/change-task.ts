import * as z from 'zod';
import { restErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { respondToRest } from '../../shared/adapters/a2a-server/respond-rest.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { keyOrUser } from './caller.ts';
import { A2aTaskResponse } from './schemas.ts';

export const changeA2aTask = defineEndpoint({
  id: 'surface-a2a.change-task',
  method: 'POST',
  path: `${a2aPath}/tasks/{taskId}`,
  noIdempotencyKey: 'A2A gives tasks ids of their own',
  requestHeaders: a2aHeaders,
  errorBody: restErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'Cancel or follow a task of an a2a surface',
  description:
    'With `:cancel` after the id the operation `CancelTask` of the HTTP+JSON binding of A2A 1.0, and with `:subscribe` the operation `SubscribeToTask`, which responds with server-sent events. 400 for a task that has ended; 404 also for the task of another caller.',
  params: SurfaceParams.extend({
    taskId: z
      .string()
      .regex(
        /^[A-Za-z0-9_-]{1,256}:(cancel|subscribe)$/,
        'Expected the id of a task with :cancel or :subscribe',
      )
      .meta({ example: 'task_01k9m4v7d3x8qz5w2r6t0y1hbn:cancel' }),
  }),
  body: z.looseObject({}).meta({ description: 'Ignored: the path names the task' }),
  open: ({ params }) => (params.taskId.endsWith(':subscribe') ? 'reader' : 'brief'),
  response: { kind: 'stream', mediaType: 'application/json', body: A2aTaskResponse },
  errors: [400, 404, 422, 503],
  needs: { scope: a2aScope },

  async handle({ params, ...request }, { scope }) {
    const { header, requestId } = request;
    const { agent, gone } = await openSurface(scope, { ...request, params });
    const [id = '', action] = params.taskId.split(':');
    const operation = { name: action === 'cancel' ? ('cancel' as const) : ('subscribe' as const), id };
    return respondToRest(operation, { version: header('a2a-version'), requestId, gone }, agent);
  },
});

export const handler = toStreamingLambda(changeA2aTask);
