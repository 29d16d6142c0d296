import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { StoredSteps } from '../steps/held-steps.ts';
import { defineStepType, type FlowStep } from '../steps/step.ts';
import { Expression } from '../steps/template-text.ts';

const createConfig = (steps: z.ZodType<FlowStep[], unknown>) =>
  z.strictObject({
    while: Expression.meta({
      description:
        'A JavaScript expression, asked before each pass. `_loop.index` is the number of the pass, from 0',
    }),
    maxIterations: z.int().min(1).max(100).meta({ description: 'The most passes' }),
    onLimit: z.enum(['fail', 'stop']).optional().meta({
      description: 'What becomes of the step if the condition still holds after the last pass. Default: fail',
    }),
    steps: steps.meta({ description: 'Run in each pass. What they set stays set, also after the step' }),
    ...commonConfig,
  });

export const loopStep = defineStepType({
  type: 'loop',
  summary: 'Run steps as long as a condition holds',
  config: createConfig(StoredSteps),
  createConfig,
  output: z.unknown().meta({ description: 'The output of the last step of the last pass; null without one' }),
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
