import type { FollowedFlowRun } from '../../../run/flow-run.ts';
import { settersBefore } from '../steps/scopes.ts';
import { type Step, stepVariable } from '../steps/steps.ts';

export interface KnownVariable {
  name: string;
  value: unknown;
  /** Of the record, none. */
  setBy: Step | undefined;
}

/** The variables before a step, from a run of the steps before it: the record first, then in the order of the steps. */
export function variablesBefore(
  id: string,
  { steps, record, run }: { steps: readonly Step[]; record: unknown; run: FollowedFlowRun | undefined },
): KnownVariable[] {
  const setters = new Map(settersBefore(steps, id).map((step) => [step.id, step]));
  const variables = new Map<string, KnownVariable>();
  if (record !== undefined) variables.set('_record', { name: '_record', value: record, setBy: undefined });
  for (const { id: stepId, status, output } of run?.steps ?? []) {
    if (stepId === id) break;
    const setBy = setters.get(stepId);
    const name = setBy && stepVariable(setBy);
    if (!name || status !== 'completed') continue;
    variables.delete(name);
    variables.set(name, { name, value: output, setBy });
  }
  return [...variables.values()];
}
