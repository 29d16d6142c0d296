import { StepError } from '../../core/errors/step-error.ts';
import type { Variables } from '../../core/variables.ts';
import { flowStep } from '../../domain/flows/step-types/flow.ts';
import { builtInVariables } from '../../domain/flows/steps/common-config.ts';
import { type LinkedConfig, linkedFlow, linkedSteps } from '../../domain/flows/steps/held-lists.ts';
import { createInsideError } from '../step-support/held-run.ts';
import { defineHoldingRunner } from '../step-support/step-runner.ts';

export const flowRunner = defineHoldingRunner(flowStep, {
  async hold({ config, variables, renderValue, inside }) {
    const { [linkedFlow]: linked, [linkedSteps]: steps } = config as LinkedConfig;
    if (!linked || 'problem' in linked || !steps) {
      throw new StepError(linked && 'problem' in linked ? linked.problem : 'The flow cannot be run here');
    }
    // The same when the run resumes, also if a template asks for the time.
    const inputs = (inside.kept() ?? (await renderValue(config.inputs ?? {}))) as Variables;
    inside.keep(inputs);
    const { id, name } = linked;
    const listInputs = { ...inputs, ...pickBuiltIns(variables), _flow: { id, name } };
    const payer = { type: 'flow' as const, id };
    const end = await inside.run({
      key: 'f',
      steps,
      inputs: listInputs,
      scope: 'closed',
      absorbs: false,
      payer,
    });
    if (end.status === 'waiting') return { isWaiting: true };
    if (end.status === 'failed') throw createInsideError(`The flow "${name}"`, end.failure);
    return { output: end.output };
  },
});

const pickBuiltIns = (variables: Readonly<Variables>): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => builtInVariables.includes(name)));
