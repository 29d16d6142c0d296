import { type CallOperation, fillSampleWorkspace } from '../sample-workspace.ts';

export interface TourWorkspace {
  agent: string;
  /** The screen of an API that offers the agent. */
  surface: string;
}

/** What the pictures have, and a product. */
export async function fillForTour(call: CallOperation): Promise<TourWorkspace> {
  const { agent } = await fillSampleWorkspace(call);
  const { id } = await call('products.create', { body: { name: 'Customer service' } });
  const params = { id };
  const capability = await call('products.add-capability', {
    params,
    body: { capabilityName: 'Answer a question', agentId: agent },
  });
  const surface = await call('surfaces.create', {
    params,
    body: { name: 'API for the shop', type: 'api', status: 'active' },
  });
  await call('surfaces.add-item', {
    params: { id, surfaceId: surface.id },
    body: { capabilityId: capability.id, endpointSlug: 'answer' },
  });
  return { agent, surface: `/products/${id}/surfaces/${surface.id}` };
}
