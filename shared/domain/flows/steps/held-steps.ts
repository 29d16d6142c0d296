import * as z from 'zod';
import type { FlowStep } from './step.ts';

/** Steps that a step holds, as stored. `flow-step.ts` validated them when the flow was saved. */
export const StoredSteps: z.ZodType<FlowStep[], unknown> = z.array(z.custom<FlowStep>());

export const onError = z.enum(['fail', 'continue']).optional();

/** How many branches or items run at once. */
export const concurrency = z.int().min(1).max(20).optional();
