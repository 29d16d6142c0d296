import type { Client } from '../../../../packages/client/src/client.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { templateTexts } from '../../texts/templates.ts';
import { explained } from '../../ui/loading/failure-text.ts';
import type { StarterTemplate } from '../template.ts';
import { createSampleRecords } from './create-records.ts';
import { freeName, withTypes } from './free-names.ts';
import { Undoable } from './undoable.ts';

export interface Progress {
  done: number;
  total: number;
  /** What is being created. */
  what: string;
}

export interface CreatedByTemplate {
  recordIds: string[];
  /** By those of the template. */
  types: Record<string, string>;
  flowId?: string;
  agentId?: string;
  productId?: string;
  surfaceId?: string;
}

/** A step of the creation, in words and as requests. */
interface Part {
  what: string;
  create: (made: CreatedByTemplate) => Promise<unknown>;
}

/**
 * Creates all that a template has. If a request fails, deletes what the ones before have created.
 * @throws what failed; it says too what could not be deleted.
 */
export async function createFromTemplate(
  api: Client,
  template: StarterTemplate,
  onProgress: (progress: Progress) => void = () => {},
): Promise<CreatedByTemplate> {
  const made: CreatedByTemplate = { recordIds: [], types: {} };
  const undoable = new Undoable();
  const parts = partsOf(api, template, undoable);
  try {
    for (const [done, { what, create }] of parts.entries()) {
      onProgress({ done, total: parts.length, what });
      await create(made);
    }
    return made;
  } catch (error) {
    onProgress({ done: 0, total: parts.length, what: templateTexts.undoing });
    const left = await undoable.undo();
    if (left.length === 0) throw error;
    const { title } = explained(error as Error);
    throw new Error(templateTexts.deleteRest(title, left), { cause: error });
  }
}

function partsOf(api: Client, template: StarterTemplate, undoable: Undoable): Part[] {
  const { records, flow, agent, product } = template;
  return [
    ...records.map((sample) => ({
      what: templateTexts.sampleRecords,
      create: (made: CreatedByTemplate) => createSampleRecords(api, sample, made, undoable),
    })),
    ...(flow
      ? [
          {
            what: sharedTexts.flow,
            create: (made: CreatedByTemplate) => createFlow(api, flow, made, undoable),
          },
        ]
      : []),
    ...(agent
      ? [
          {
            what: sharedTexts.agent,
            create: (made: CreatedByTemplate) => createAgent(api, agent, made, undoable),
          },
        ]
      : []),
    ...(product
      ? [
          {
            what: sharedTexts.product,
            create: (made: CreatedByTemplate) => createTemplateProduct(api, product, made, undoable),
          },
        ]
      : []),
  ];
}

async function createFlow(
  api: Client,
  { name, description, steps }: NonNullable<StarterTemplate['flow']>,
  made: CreatedByTemplate,
  undoable: Undoable,
): Promise<void> {
  const free = await freeName(api, 'flows.list', name);
  const flowSteps = withTypes(steps, made.types);
  const { id } = await api.flows.create({ body: { name: free, description, flowSteps } });
  made.flowId = id;
  undoable.add(templateTexts.theFlow(free), () => api.flows.delete({ params: { id } }));
  await api.flows.publish({ params: { id } });
}

async function createAgent(
  api: Client,
  { name, description, config }: NonNullable<StarterTemplate['agent']>,
  made: CreatedByTemplate,
  undoable: Undoable,
): Promise<void> {
  const free = await freeName(api, 'agents.list', name);
  const body = { name: free, description, config: withTypes(config, made.types) };
  const { id } = await api.agents.create({ body });
  made.agentId = id;
  undoable.add(templateTexts.theAgent(free), () => api.agents.delete({ params: { id } }));
  await api.agents.publish({ params: { id } });
}

/** A product that offers the flow: by an API, or by the clock. What belongs to a product is deleted with it. */
async function createTemplateProduct(
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
