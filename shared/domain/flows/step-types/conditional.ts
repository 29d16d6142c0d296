import * as z from 'zod';
import { Expression } from '../steps/code.ts';
import { PlainErrorHandling } from '../steps/error-handling.ts';
import { defineStepType, type FlowStep } from '../steps/step.ts';

/** As they are stored. They were checked when they were sent, by what stands in `flow-step.ts`. */
const BranchSteps = z.array(z.custom<FlowStep>()).optional();

export const conditionalStep = defineStepType({
  type: 'conditional',
  summary: 'Go on with one of two lists of steps',
  config: z.strictObject({
    condition: Expression.meta({ description: 'A JavaScript expression over the variables' }),
    trueSteps: BranchSteps,
    falseSteps: BranchSteps,
    errorHandling: PlainErrorHandling.optional(),
  }),
  output: z.object({ matched: z.boolean(), result: z.unknown() }),
  effects: false,
  takesSecrets: false,
  permission: null,
  branch: (config, { matched }) => ({
    name: String(matched),
    steps: (matched ? config.trueSteps : config.falseSteps) ?? [],
  }),
});
