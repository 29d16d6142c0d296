import * as z from 'zod';
import { Expression } from '../steps/code.ts';
import { PlainErrorHandling } from '../steps/error-handling.ts';
import { defineStepType, type FlowStep } from '../steps/step.ts';

/** As stored. `flow-step.ts` validated them when the flow was saved. */
const BranchSteps = z.array(z.custom<FlowStep>()).optional();

export const conditionalStep = defineStepType({
  type: 'conditional',
  summary: 'Run one of two lists of steps',
  config: z.strictObject({
    condition: Expression.meta({ description: 'A JavaScript expression over the variables' }),
    trueSteps: BranchSteps,
    falseSteps: BranchSteps,
    errorHandling: PlainErrorHandling.optional(),
  }),
  output: z.object({ matched: z.boolean(), result: z.unknown() }),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
  branch: (config, { matched }) => ({
    name: String(matched),
    steps: (matched ? config.trueSteps : config.falseSteps) ?? [],
  }),
});
