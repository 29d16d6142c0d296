import { evaluateExpression } from '../../adapters/code/evaluate-code.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { loopStep } from '../../domain/flows/step-types/loop.ts';
import { createInsideError } from '../step-support/held-run.ts';
import { defineHoldingRunner } from '../step-support/step-runner.ts';

export const loopRunner = defineHoldingRunner(loopStep, {
  async hold({ config, variables, ports, signal, inside }) {
    const { while: condition, maxIterations, onLimit, steps } = config;
    const holds = (index: number) =>
      evaluateExpression(
        ports.sandbox,
        condition,
        { ...variables, _loop: { index } },
        { signal, shown: ports.shown },
      );
    let output: unknown = null;
    for (let index = 0; ; index++) {
      const key = `p${index}`;
      // A pass that has begun goes on, whatever the condition says by now.
      if (!inside.hasBegun(key) && !(await holds(index))) return { output };
      if (index === maxIterations) {
        if (onLimit === 'stop') return { output };
        throw new StepError(
          `The condition still holds after ${maxIterations} passes; raise maxIterations, or set onLimit to stop`,
        );
      }
      const inputs = { _loop: { index } };
      const end = await inside.run({ key, steps, inputs, scope: 'around', absorbs: false });
      if (end.status === 'waiting') return { isWaiting: true };
      if (end.status === 'failed') throw createInsideError(`Pass ${index}`, end.failure);
      ({ output } = end);
    }
  },
});
