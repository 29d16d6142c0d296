import { boundedMap } from '../../shared/core/cache.ts';
import { flowEntity } from '../../shared/domain/flows/flow.ts';
import { exposedItems, itemOfSlug } from '../../shared/domain/products/exposed-item.ts';
import { readingAhead } from '../../shared/platform/data/read-ahead.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/streaming-lambda.ts';
import { assertMayRun, assertOpen } from './access.ts';
import { runDeclaration } from './run-declaration.ts';
import { startExposed, surfaceRunScope } from './start.ts';

/** The flow that each item ran last: it is read together with the surface, because it probably runs again. */
const lastFlows = boundedMap<string>({ entriesMax: 5_000 });

export const runSurfaceItem = defineEndpoint({
  ...runDeclaration,
  needs: { scope: surfaceRunScope },

  async handle({ params, body, principal, header, timeLeftMs, requestId }, { scope: given }) {
    const { id, surfaceId, endpointSlug } = params;
    const name = `${surfaceId} ${endpointSlug}`;
    const guess = lastFlows.get(name);
    const scope = guess === undefined ? given : readingAhead(given, flowEntity, { id: guess });
    const whole = await exposedItems(scope).ofSurface(id, surfaceId);
    assertOpen(whole.surface, principal);
    const found = itemOfSlug(whole, 'api', endpointSlug);
    if (found.capability.flowId) lastFlows.set(name, found.capability.flowId);
    assertMayRun(found, principal);
    const isStreamed = header('accept')?.includes('text/event-stream') ?? false;
    const call = { principal, parameters: body, isStreamed, requestId, timeLeftMs: timeLeftMs() };
    return startExposed(scope, found, call);
  },
});

export const handler = toStreamingLambda(runSurfaceItem);
