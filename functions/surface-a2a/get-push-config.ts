import { restErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { respondToRest } from '../../shared/adapters/a2a-server/respond-rest.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { keyOrUser } from './caller.ts';
import { A2aPushConfig, PushConfigParams } from './push-schemas.ts';

export const getA2aPushConfig = defineEndpoint({
  id: 'surface-a2a.get-push-config',
  method: 'GET',
  path: `${a2aPath}/tasks/{taskId}/pushNotificationConfigs/{configId}`,
  requestHeaders: a2aHeaders,
  errorBody: restErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'Get who is told of a task of an a2a surface',
  description:
    'The operation `GetTaskPushNotificationConfig` of the HTTP+JSON binding of A2A 1.0, without the token and the credentials. 404 also for the task of another caller.',
  params: PushConfigParams,
  open: 'brief',
  response: { kind: 'stream', mediaType: 'application/json', body: A2aPushConfig },
  errors: [400, 404, 422, 503],
  needs: { scope: a2aScope },

  async handle(request, { scope }) {
    const { params, header, requestId } = request;
    const { agent, gone } = await openSurface(scope, request);
    const operation = { name: 'get-receiver' as const, id: params.taskId, receiverId: params.configId };
    return respondToRest(operation, { version: header('a2a-version'), requestId, gone }, agent);
  },
});

export const handler = toStreamingLambda(getA2aPushConfig);
