import type { Unmasked } from '../../core/redaction/hidden.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import { noTotals, plusTotals, totalsOfCalls, totalsOfStep } from '../../domain/runs/run-totals.ts';
import { runUse } from '../../domain/runs/run-use.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { StepResult } from '../engine/engine.ts';
import { flushSoon, type RunRecorder } from '../runs/checkpoints/run-recorder.ts';
import type { Execution } from '../runs/execution.ts';
import { endUnlessCancelled, flowEndStatus } from './end-unless-cancelled.ts';

interface Unkept {
  isCancelled: () => boolean;
  listed: Promise<void>;
  execution: Execution;
  open: () => RunRecorder;
}

/** Counts model calls at once. Records the results only if the run suspends. */
export function recordWhenSuspended(
  scope: Scope,
  { execution, isCancelled, listed: isListed, open }: Unkept,
): RunRecorder {
  const results: StepResult[] = [];
  const kept = new Map<string, [value: unknown, sealed: Unmasked]>();
  let totals = noTotals;
  let uncounted: ModelCall[] = [];
  async function count(alsoWrite: readonly Write[] = []): Promise<void> {
    const calls = uncounted;
    uncounted = [];
    soon.stop();
    const writes = [...usageWrites(scope, [{ flowId: null, calls }]), ...alsoWrite];
    if (writes.length === 0) return;
    await scope.table.commit(writes).catch((failure) => {
      uncounted.unshift(...calls);
      throw failure;
    });
  }
  const soon = flushSoon(() => count());
  const spend = (calls: readonly ModelCall[]) => {
    totals = plusTotals(totals, totalsOfCalls(calls));
    uncounted.push(...calls);
  };
  return {
    async add({ modelCalls = [], ...result }) {
      totals = plusTotals(totals, totalsOfStep(result, runUse(modelCalls)));
      results.push(result);
      uncounted.push(...modelCalls);
    },
    spend,
    interrupt: ({ modelCalls = [] }) => spend(modelCalls),
    flush: () => count(),
    flushSoon: soon.start,
    keep: (path, ...value) => void kept.set(path, value),
    // Nobody goes on with a run of which nothing is stored.
    mark: async (path, ...value) => void kept.set(path, value),
    async finish(error) {
      await isListed;
      const at = scope.now().toISOString();
      const ending = { status: flowEndStatus(error !== null, isCancelled), at, error, totals };
      await endUnlessCancelled(scope, execution, ending, async ({ listed }) => {
        await count(listed.writes);
        await listed.send();
      });
    },
    async suspend(waits, before) {
      const recorder = open();
      for (const [path, value] of kept) recorder.keep(path, ...value);
      for (const result of results) await recorder.add(result);
      recorder.spend(uncounted);
      await recorder.suspend(waits, before);
    },
  };
}
