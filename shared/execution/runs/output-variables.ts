import type { Variables } from '../../core/variables/variables.ts';
import { definitionPath, isOwnScope, listsAround } from '../../domain/flows/steps/run-path.ts';
import { type FlowStep, outputVariableName } from '../../domain/flows/steps/step.ts';
import { walkSteps } from '../../domain/flows/steps/walk-steps.ts';
import type { StepResult } from '../engine/engine.ts';

/** What the steps of a run have set, in its outermost scope. @param results In the order in which the steps ended */
export function outputVariables(
  steps: readonly FlowStep[],
  results: ReadonlyMap<string, StepResult>,
): Variables {
  const definitions = new Map([...walkSteps(steps)].map(({ step, path }) => [path, step]));
  const outputs: Variables = {};
  for (const { path, status, output } of results.values()) {
    if (status !== 'completed' || listsAround(path).some(isOwnScope)) continue;
    const step = definitions.get(definitionPath(path));
    const variable = step && outputVariableName(step);
    if (variable) outputs[variable] = output;
  }
  return outputs;
}
