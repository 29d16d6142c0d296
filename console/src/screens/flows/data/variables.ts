import type { FlowRun } from '../../../run/flow-run.ts';
import { stepDataTexts } from '../../../texts/step-data.ts';
import { settersBefore } from '../steps/scopes.ts';
import { type Step, variableOf } from '../steps/steps.ts';

export interface Variable {
  name: string;
  value: unknown;
  /** Of the record, none. */
  setBy: Step | undefined;
}

/** The variables before a step, from a run of the steps before it: the record first, then in the order of the steps. */
export function variablesBefore(
  id: string,
  { steps, record, run }: { steps: readonly Step[]; record: unknown; run: FlowRun | undefined },
): Variable[] {
  const known = new Map(settersBefore(steps, id).map((step) => [step.id, step]));
  const variables = new Map<string, Variable>();
  if (record !== undefined) variables.set('_record', { name: '_record', value: record, setBy: undefined });
  for (const { id: stepId, status, output } of run?.steps ?? []) {
    if (stepId === id) break;
    const setBy = known.get(stepId);
    const name = setBy && variableOf(setBy);
    if (!name || status !== 'completed') continue;
    variables.delete(name);
    variables.set(name, { name, value: output, setBy });
  }
  return [...variables.values()];
}

const shownMax = 80;

/** The beginning of a value, in one line. */
export function inOneLine(value: unknown): string {
  const text = typeof value === 'string' ? value.slice(0, 4 * shownMax) : beginningOf(value);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > shownMax ? `${line.slice(0, shownMax - 1)}…` : line;
}

function beginningOf(value: unknown): string {
  if (Array.isArray(value)) return stepDataTexts.items(value.length);
  if (typeof value === 'object' && value !== null) return `{ ${Object.keys(value).slice(0, 8).join(', ')} }`;
  return String(value);
}
