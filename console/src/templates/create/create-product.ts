import type { Client } from '../../../../packages/client/src/client.ts';
import { templateTexts } from '../../texts/templates.ts';
import type { StarterTemplate } from '../template.ts';
import type { CreatedByTemplate } from './create-from-template.ts';
import { freeName } from './free-names.ts';
import type { Undoable } from './undoable.ts';

/** A product that offers the flow: by an API, or by the clock. What belongs to a product is deleted with it. */
export async function createTemplateProduct(
  api: Client,
  { name, description, capability, api: endpoint, schedule }: NonNullable<StarterTemplate['product']>,
  made: CreatedByTemplate,
  undoable: Undoable,
): Promise<void> {
  const { flowId = '' } = made;
  const free = await freeName(api, 'products.list', name);
  const { id } = await api.products.create({ body: { name: free, description } });
  made.productId = id;
  undoable.add(templateTexts.theProduct(free), () => api.products.delete({ params: { id } }));
  const { id: capabilityId } = await api.products.addCapability({
    params: { id },
    body: { ...capability, flowId },
  });
  async function createSurface(surface: { name: string; type: 'api' | 'schedule' }): Promise<string> {
    const body = { ...surface, status: 'active' } as const;
    const { id: surfaceId } = await api.surfaces.create({ params: { id }, body });
    made.surfaceId = surfaceId;
    return surfaceId;
  }
  if (endpoint) {
    const surfaceId = await createSurface({ name: endpoint.surface, type: 'api' });
    await api.surfaces.addItem({
      params: { id, surfaceId },
      body: { capabilityId, endpointSlug: endpoint.slug },
    });
  }
  if (schedule) {
    const surfaceId = await createSurface({ name: schedule.surface, type: 'schedule' });
    await api.schedules.create({
      params: { id, surfaceId },
      body: {
        flowId,
        triggerType: 'recurring',
        cron: schedule.cron,
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        recordType: Object.values(made.types).at(-1) ?? '',
      },
    });
  }
}
