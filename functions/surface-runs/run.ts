import { labelsInHeaders } from '../../shared/domain/runs/run-origin.ts';
import {
  assertMayRun,
  assertOpen,
  exposedItems,
  findSlugItem,
} from '../../shared/domain/surfaces/exposed-item.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import {
  readLastFlowAhead,
  rememberFlow,
  startExposed,
  surfaceRunScope,
} from '../../shared/protocols/surface/start-exposed.ts';
import { runDeclaration } from './run-declaration.ts';

export const runSurfaceItem = defineEndpoint({
  ...runDeclaration,
  needs: { scope: surfaceRunScope },

  async handle({ params, body, principal, header, timeLeftMs, requestId }, { scope: surfaceScope }) {
    const { id, surfaceId, endpointSlug } = params;
    const scope = readLastFlowAhead(surfaceScope, surfaceId, endpointSlug);
    const whole = await exposedItems(scope).findSurface(id, surfaceId);
    assertOpen(whole.surface, principal);
    const found = findSlugItem(whole, 'api', endpointSlug);
    rememberFlow(found, endpointSlug);
    assertMayRun(found, principal);
    const isStreamed = header('accept')?.includes('text/event-stream') ?? false;
    const labels = labelsInHeaders(header);
    const call = { principal, parameters: body, labels, isStreamed, requestId, timeLeftMs: timeLeftMs() };
    return startExposed(scope, found, call);
  },
});

export const handler = toStreamingLambda(runSurfaceItem);
