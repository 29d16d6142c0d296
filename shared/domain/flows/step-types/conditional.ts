import * as z from 'zod';
import { PlainErrorHandling } from '../steps/error-handling.ts';
import { StoredSteps } from '../steps/held-steps.ts';
import { defineStepType, type FlowStep } from '../steps/step.ts';
import { Expression } from '../steps/template-text.ts';

const createConfig = (steps: z.ZodType<FlowStep[], unknown>) =>
  z.strictObject({
    condition: Expression.meta({ description: 'A JavaScript expression over the variables' }),
    trueSteps: steps.optional(),
    falseSteps: steps.optional(),
    errorHandling: PlainErrorHandling.optional(),
  });

export const conditionalStep = defineStepType({
  type: 'conditional',
  summary: 'Run one of two lists of steps',
  config: createConfig(StoredSteps),
  createConfig,
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
