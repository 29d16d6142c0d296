import type { FollowedFlowRun } from '../../../run/flow-run.ts';
import { eachStep } from '../steps/places.ts';
import type { Step } from '../steps/steps.ts';
import { type RecordedOutcome, stepsUpTo } from './plan.ts';

/** What a step that costs something, or has effects, did when somebody ran it in the editor. */
export interface KeptResult extends RecordedOutcome {
  /** It counts for this step and this record only. */
  of: string;
  /** The steps before it at the time: if they changed since, it shows so. */
  before: string;
  at: Date;
  durationMs?: number | undefined;
  tokens?: number | undefined;
  cost?: string | null | undefined;
}

/** What a result depends on. The name of a step changes nothing. */
export const resultIdentity = ({ name: _name, ...step }: Step, record: unknown) =>
  JSON.stringify([step, record ?? null]);

export const before = (steps: readonly Step[], id: string) =>
  JSON.stringify(stepsUpTo(steps, id, () => [])?.map(({ name: _name, ...step }) => step));

interface Ran {
  steps: readonly Step[];
  /** As it was sent. */
  record: unknown;
  run: FollowedFlowRun;
  acts: (step: Step) => boolean;
  /** The ids of those whose earlier results were used again. */
  reused: ReadonlySet<string>;
  /** The last one that was to run. */
  lastId: string;
}

/** The results of a run that a later one may use again. */
export function keptResults({ steps, record, run, acts, reused, lastId }: Ran): Map<string, KeptResult> {
  const results = new Map<string, KeptResult>();
  const ended = new Map(run.steps.map((step) => [step.id, step]));
  for (const { step } of eachStep(stepsUpTo(steps, lastId) ?? [])) {
    if (!acts(step) || reused.has(step.id)) continue;
    const { status, output, durationMs, tokens, cost } = ended.get(step.id) ?? {
      status: undefined,
      output: null,
    };
    const base = { of: resultIdentity(step, record), before: before(steps, step.id), at: new Date() };
    if (status === 'completed') results.set(step.id, { ...base, status, output, durationMs, tokens, cost });
    // The run went past it, as it does in the branch that is not taken.
    else if (status !== 'failed' && run.end?.status === 'completed')
      results.set(step.id, { ...base, status: 'skipped', output: null });
  }
  return results;
}
