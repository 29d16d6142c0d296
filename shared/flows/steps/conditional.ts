import * as z from 'zod';
import { PlainErrorHandling } from '../error-handling.ts';
import { Expression, evaluateExpression } from '../scripts.ts';
import { defineStep, type FlowStep } from '../step.ts';

/** As they are stored. They were checked when they were sent, by what stands in `flow-step.ts`. */
const BranchSteps = z.array(z.custom<FlowStep>()).optional();

export const conditionalStep = defineStep({
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
  async run({ config, variables, ports, signal }) {
    const result = await evaluateExpression(ports.sandbox, config.condition, variables, { signal });
    return { output: { matched: Boolean(result), result } };
  },
  branch: (config, { matched }) => ({
    name: String(matched),
    steps: (matched ? config.trueSteps : config.falseSteps) ?? [],
  }),
});
