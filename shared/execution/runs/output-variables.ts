import type { Variables } from '../../core/variables/variables.ts';
import { type FlowStep, variableOf } from '../../domain/flows/steps/step.ts';
import { walkSteps } from '../../domain/flows/steps/walk-steps.ts';
import type { StepResult } from '../engine/engine.ts';

export function outputVariablesOf(
  steps: readonly FlowStep[],
  results: ReadonlyMap<string, StepResult>,
): Variables {
  const outputs: Variables = {};
  for (const { step, path } of walkSteps(steps)) {
    const result = results.get(path);
    const variable = variableOf(step);
    if (variable && result?.status === 'completed') outputs[variable] = result.output;
  }
  return outputs;
}
