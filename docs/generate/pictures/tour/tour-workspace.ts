import { type Call, fillWorkspace } from '../sample-workspace.ts';

export interface Workspace {
  agent: string;
  /** The screen of an API that offers the agent. */
  surface: string;
}

/** What the pictures have, and a product. */
export async function fillForTour(call: Call): Promise<Workspace> {
  const { agent } = await fillWorkspace(call);
  const { id } = await call('POST /v1/products', { body: { name: 'Customer service' } });
  const params = { id };
  const capability = await call('POST /v1/products/{id}/capabilities', {
    params,
    body: { capabilityName: 'Answer a question', agentId: agent },
  });
  const surface = await call('POST /v1/products/{id}/surfaces', {
    params,
    body: { name: 'API for the shop', type: 'api', status: 'active' },
  });
  await call('POST /v1/products/{id}/surfaces/{surfaceId}/items', {
    params: { id, surfaceId: surface.id },
    body: { capabilityId: capability.id, endpointSlug: 'answer' },
  });
  return { agent, surface: `/products/${id}/surfaces/${surface.id}` };
}
