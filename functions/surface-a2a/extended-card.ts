import { restErrorBody } from '../../shared/adapters/a2a-server/error-bodies.ts';
import { respondToRest } from '../../shared/adapters/a2a-server/respond-rest.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { a2aScope, openSurface } from '../../shared/protocols/a2a/open-surface.ts';
import { a2aHeaders, a2aPath } from '../../shared/protocols/a2a/parameters.ts';
import { SurfaceParams } from '../surfaces/response-schemas.ts';
import { keyOrUser } from './caller.ts';
import { A2aCard } from './schemas.ts';

export const getA2aExtendedCard = defineEndpoint({
  id: 'surface-a2a.extended-card',
  method: 'GET',
  path: `${a2aPath}/extendedAgentCard`,
  requestHeaders: a2aHeaders,
  errorBody: restErrorBody,
  permission: 'public',
  scope: keyOrUser,
  accepts: ['surface-key'],
  summary: 'Get the extended agent card of an a2a surface',
  description:
    'The operation `GetExtendedAgentCard` of the HTTP+JSON binding of A2A 1.0. Always 400, with the error of the protocol: the card shows all to everybody, and says so by `capabilities.extendedAgentCard`.',
  params: SurfaceParams,
  open: 'brief',
  response: { kind: 'stream', mediaType: 'application/json', body: A2aCard },
  errors: [400, 404, 422, 503],
  needs: { scope: a2aScope },

  async handle(request, { scope }) {
    const { header, requestId } = request;
    const { agent, gone } = await openSurface(scope, request);
    return respondToRest(
      { name: 'get-extended-card' },
      { version: header('a2a-version'), requestId, gone },
      agent,
    );
  },
});

export const handler = toStreamingLambda(getA2aExtendedCard);
