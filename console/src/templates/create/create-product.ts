import type { Api } from '../../api/api.ts';
import { templateTexts } from '../../texts/templates.ts';
import type { Template } from '../template.ts';
import type { Created } from './create-from-template.ts';
import { freeName } from './free-names.ts';
import type { Undoable } from './undoable.ts';

/** A product that offers the flow: by an API, or by the clock. What belongs to a product is deleted with it. */
export async function createProduct(
  call: Api['call'],
  { name, description, capability, api, schedule }: NonNullable<Template['product']>,
  made: Created,
  undoable: Undoable,
): Promise<void> {
  const { flowId = '' } = made;
  const free = await freeName(call, 'GET /v1/products', name);
  const { id } = await call('POST /v1/products', { body: { name: free, description } });
  made.productId = id;
  undoable.add(templateTexts.theProduct(free), () => call('DELETE /v1/products/{id}', { params: { id } }));
  const { id: capabilityId } = await call('POST /v1/products/{id}/capabilities', {
    params: { id },
    body: { ...capability, flowId },
  });
  async function createSurface(surface: { name: string; type: 'api' | 'schedule' }): Promise<string> {
    const body = { ...surface, status: 'active' } as const;
    const { id: surfaceId } = await call('POST /v1/products/{id}/surfaces', { params: { id }, body });
    made.surfaceId = surfaceId;
    return surfaceId;
  }
  if (api) {
    const surfaceId = await createSurface({ name: api.surface, type: 'api' });
    await call('POST /v1/products/{id}/surfaces/{surfaceId}/items', {
      params: { id, surfaceId },
      body: { capabilityId, endpointSlug: api.slug },
    });
  }
  if (schedule) {
    const surfaceId = await createSurface({ name: schedule.surface, type: 'schedule' });
    await call('POST /v1/products/{id}/surfaces/{surfaceId}/schedules', {
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
