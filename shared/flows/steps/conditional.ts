import * as z from 'zod';
import { PlainErrorHandling } from '../error-handling.ts';
import { StoredStep } from '../flow.ts';
import { Expression, evaluateExpression } from '../sandbox.ts';
import { defineStep } from '../step.ts';

/** As they are stored; what a caller may send stands in `flow-step.ts`. */
const BranchSteps = z.array(StoredStep).optional();

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
  async run({ config, variables }) {
    const result = await evaluateExpression(config.condition, variables);
    return { output: { matched: Boolean(result), result } };
  },
  branch: (config, { matched }) => ({
    name: String(matched),
    steps: (matched ? config.trueSteps : config.falseSteps) ?? [],
  }),
});
