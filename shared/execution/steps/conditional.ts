import { evaluateExpression } from '../../adapters/code/evaluate-code.ts';
import { conditionalStep } from '../../domain/flows/step-types/conditional.ts';
import { defineFreeRunner } from '../step-support/step-runner.ts';

export const conditionalRunner = defineFreeRunner(conditionalStep, {
  async run({ config, variables, ports, signal }) {
    const result = await evaluateExpression(ports.sandbox, config.condition, variables, {
      signal,
      shown: ports.shown,
    });
    return { output: { matched: Boolean(result), result } };
  },
});
