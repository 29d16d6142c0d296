import type { Client } from '../../../../packages/client/src/client.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { templateTexts } from '../../texts/templates.ts';
import { explained } from '../../ui/loading/failure-text.ts';
import type { StarterTemplate } from '../template.ts';
import { createTemplateProduct } from './create-product.ts';
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
