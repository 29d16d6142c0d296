import { restErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { respondToRest } from '../../shared/adapters/a2a-server/respond-rest.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { keyOrUser } from './caller.ts';
import { A2aPushConfig, PushConfigBody, PushConfigsParams } from './push-schemas.ts';

export const addA2aPushConfig = defineEndpoint({
  id: 'surface-a2a.add-push-config',
  method: 'POST',
  path: `${a2aPath}/tasks/{taskId}/pushNotificationConfigs`,
  noIdempotencyKey: 'A2A gives configs ids of their own',
  requestHeaders: a2aHeaders,
  errorBody: restErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'Ask to be told of a task of an a2a surface',
  description:
    'The operation `CreateTaskPushNotificationConfig` of the HTTP+JSON binding of A2A 1.0. `url` gets a POST with the task when it has ended, and when it asks for something; ten times within a day until it answers with 2xx. Only public https addresses. `token` is sent as `X-A2A-Notification-Token`, and `authentication` (Bearer or Basic) as `Authorization`; no response shows them. A config with the `id` of another one replaces it. A task that has ended is told at once. 400 also for a sixth config; 404 also for the task of another caller.',
  params: PushConfigsParams,
  body: PushConfigBody,
  open: 'brief',
  response: { kind: 'stream', mediaType: 'application/json', body: A2aPushConfig },
  errors: [400, 404, 422, 503],
  needs: { scope: a2aScope },

  async handle({ body, ...request }, { scope }) {
    const { params, header, requestId } = request;
    const { agent, gone } = await openSurface(scope, request);
    const operation = { name: 'add-receiver' as const, id: params.taskId, body };
    return respondToRest(operation, { version: header('a2a-version'), requestId, gone }, agent);
  },
});

export const handler = toStreamingLambda(addA2aPushConfig);
