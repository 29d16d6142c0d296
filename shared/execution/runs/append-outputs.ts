import type { RecordsPort } from '../../adapters/ports/records-port.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { flowing } from '../../core/redaction/hidden.ts';
import type { Variables } from '../../core/variables/variables.ts';
import { definitionPath, isOwnScope, listsAround } from '../../domain/flows/steps/run-path.ts';
import { type FlowStep, outputVariableName } from '../../domain/flows/steps/step.ts';
import { walkSteps } from '../../domain/flows/steps/walk-steps.ts';
import type { StepResult } from '../engine/engine.ts';

/** Merges the output variables of a run into its record. @param results In the order in which the steps ended @returns the reason if that failed. */
export async function appendOutputs(
  records: RecordsPort,
  recordId: string,
  steps: readonly FlowStep[],
  results: ReadonlyMap<string, StepResult>,
): Promise<string | undefined> {
  try {
    const record = await records.update({ id: recordId }, outputVariables(steps, results), 'merge');
    return record ? undefined : failed('The record was deleted');
  } catch (error) {
    if (error instanceof StepError) return failed(error.message);
    throw error;
  }
}

const failed = (reason: string) => `The output variables could not be appended to the record: ${reason}`;

/** What the steps of a run have set, in its outermost scope. */
function outputVariables(steps: readonly FlowStep[], results: ReadonlyMap<string, StepResult>): Variables {
  const definitions = new Map([...walkSteps(steps)].map(({ step, path }) => [path, step]));
  const outputs: Variables = {};
  for (const result of results.values()) {
    const { path, status } = result;
    if (status !== 'completed' || listsAround(path).some(isOwnScope)) continue;
    const step = definitions.get(definitionPath(path));
    const variable = step && outputVariableName(step);
    if (variable) outputs[variable] = flowing(result);
  }
  return outputs;
}
