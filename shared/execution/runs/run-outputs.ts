import type { Variables } from '../../core/variables.ts';
import { type FlowStep, variableOf } from '../../domain/flows/steps/step.ts';
import type { StepResult } from '../engine/engine.ts';

/** What the completed steps of a run left in variables, those in branches too. */
export function outputsOf(
  steps: readonly FlowStep[],
  results: ReadonlyMap<string, StepResult>,
  base = '',
): Variables {
  const outputs: Variables = {};
  for (const [index, step] of steps.entries()) {
    const path = `${base}${index}`;
    const result = results.get(path);
    if (result?.status !== 'completed') continue;
    const variable = variableOf(step);
    if (variable) outputs[variable] = result.output;
    const { trueSteps = [], falseSteps = [] } = step.config as { [branch: string]: FlowStep[] | undefined };
    Object.assign(outputs, outputsOf(trueSteps, results, `${path}.true.`));
    Object.assign(outputs, outputsOf(falseSteps, results, `${path}.false.`));
  }
  return outputs;
}
