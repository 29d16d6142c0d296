import { unixSeconds } from '../../core/time.ts';
import type { Note } from '../../core/tracing/note.ts';
import { listedSeconds } from '../../domain/listed-seconds.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import type { EndStatus } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { type NewRun, runError } from '../../domain/runs/run-list.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import { totalsOfCalls } from '../../domain/runs/run-totals.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { settleBudgets } from '../model-calls/within-budgets.ts';

interface EndedModelRun {
  id: string;
  /** The model as its caller named it. */
  name: string;
  startedAt: Date;
  startedIn?: string;
  origin: RunOrigin;
  notes: Note[];
  calls: readonly ModelCall[];
}

interface Outcome {
  error?: unknown;
  isCancelled?: boolean;
}

/**
 * Counts what a call of a model cost, and lists it as the run of a flow that is not stored. The counters are written beside
 * the row, not in one transaction with it: many processes count the same model at the same time, and their transactions
 * would make each other wait.
 */
export const modelRunRecorder = /* @__PURE__ */ using(
  ['table:write', runEnd],
  (scope: Scope) =>
    async (run: EndedModelRun, outcome: Outcome): Promise<void> => {
      const { table } = scope;
      const { writes, send } = await runEnd(scope, runOf(run), endingOf(run, outcome, scope.now()));
      const counted = usageWrites(scope, [{ flowId: null, calls: run.calls }]);
      await Promise.all([
        table.commit(writes),
        ...counted.map((write) => table.commit([write])),
        settleBudgets(scope),
      ]);
      await send();
    },
);

const runOf = ({ id, name, startedAt, startedIn, origin, notes, calls }: EndedModelRun): NewRun => ({
  id,
  kind: 'flow',
  name: calls.at(-1)?.model ?? name,
  ...origin,
  startedAt: startedAt.toISOString(),
  ttl: unixSeconds(startedAt) + listedSeconds,
  ...(startedIn !== undefined && { startedIn }),
  ...(notes.length > 0 && { notes }),
});

function endingOf({ calls }: EndedModelRun, { error, isCancelled = false }: Outcome, at: Date) {
  const status: EndStatus = isCancelled ? 'cancelled' : error === undefined ? 'completed' : 'failed';
  const message = isCancelled ? 'The caller left' : error === undefined ? null : (error as Error).message;
  return { status, at: at.toISOString(), error: runError(status, message), totals: totalsOfCalls(calls) };
}
