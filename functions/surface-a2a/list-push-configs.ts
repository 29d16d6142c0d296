import { restErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { respondToRest } from '../../shared/adapters/a2a-server/respond-rest.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { keyOrUser } from './caller.ts';
import { A2aPushConfigs, PushConfigsParams } from './push-schemas.ts';

export const listA2aPushConfigs = defineEndpoint({
  id: 'surface-a2a.list-push-configs',
  method: 'GET',
  path: `${a2aPath}/tasks/{taskId}/pushNotificationConfigs`,
  requestHeaders: a2aHeaders,
  errorBody: restErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'List who is told of a task of an a2a surface',
  description:
    'The operation `ListTaskPushNotificationConfigs` of the HTTP+JSON binding of A2A 1.0, without tokens and credentials. 404 also for the task of another caller.',
  params: PushConfigsParams,
  open: 'brief',
  response: { kind: 'stream', mediaType: 'application/json', body: A2aPushConfigs },
  errors: [400, 404, 422, 503],
  needs: { scope: a2aScope },

  async handle(request, { scope }) {
    const { params, header, requestId } = request;
    const { agent, gone } = await openSurface(scope, request);
    const operation = { name: 'list-receivers' as const, id: params.taskId };
    return respondToRest(operation, { version: header('a2a-version'), requestId, gone }, agent);
  },
});

export const handler = toStreamingLambda(listA2aPushConfigs);
