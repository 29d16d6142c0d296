import { z } from 'zod';
import { type Flow, StoredStep } from '../../shared/flows/flow.ts';
import { idOf } from '../../shared/ids.ts';

export const FlowParams = z.object({ id: idOf('flow') });

export const FlowResponse = z
  .object({
    id: z.string(),
    userId: z.string(),
    organizationId: z.string().nullable(),
    name: z.string(),
    description: z.string().nullable(),
    flowSteps: z.array(StoredStep),
    stepCount: z.int(),
    createdAt: z.string(),
    updatedAt: z.string(),
    lastRunAt: z.string().nullable(),
  })
  .meta({ id: 'Flow' });

export const toFlowResponse = ({ steps, ...flow }: Flow) => ({
  ...flow,
  flowSteps: steps,
  stepCount: steps.length,
});
