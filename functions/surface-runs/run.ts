import { exposedItems, itemOfSlug } from '../../shared/domain/products/exposed-item.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/streaming-lambda.ts';
import { assertMayRun, assertOpen } from './access.ts';
import { runDeclaration } from './run-declaration.ts';
import { startExposed, surfaceRunScope } from './start.ts';

export const runSurfaceItem = defineEndpoint({
  ...runDeclaration,
  needs: { scope: surfaceRunScope, items: exposedItems },

  async handle({ params, body, principal, header, timeLeftMs, requestId }, { scope, items }) {
    const whole = await items.ofSurface(params.id, params.surfaceId);
    assertOpen(whole.surface, principal);
    const found = itemOfSlug(whole, 'api', params.endpointSlug);
    assertMayRun(found, principal);
    const isStreamed = header('accept')?.includes('text/event-stream') ?? false;
    const call = { principal, parameters: body, isStreamed, requestId, timeLeftMs: timeLeftMs() };
    return startExposed(scope, found, call);
  },
});

export const handler = toStreamingLambda(runSurfaceItem);
