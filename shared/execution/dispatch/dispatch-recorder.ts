import { unixSeconds } from '../../core/time/unix-seconds.ts';
import { runNotice } from '../../domain/a2a-tasks/run-notice.ts';
import type { ModelCalls } from '../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { StepResult } from '../engine/engine.ts';
import type { Checkpoint } from '../runs/checkpoints/checkpoint.ts';
import { flushSoon } from '../runs/checkpoints/flush-soon.ts';
import { openRunRecorder, type RunRecorder } from '../runs/checkpoints/run-recorder.ts';
import { spendingWrites } from '../runs/checkpoints/run-spending.ts';
import { closeExecution, type Execution, endPausedExecution, executionEntity } from '../runs/execution.ts';
import type { Prepared } from './prepare.ts';

/** How long a suspended run is kept if neither its flow nor its record is stored: 30 days after the longest wait. */
const suspendedRunTtlSeconds = 60 * 86_400;
export const suspendedRunExpiresAt = ({ now }: Scope) => unixSeconds(now()) + suspendedRunTtlSeconds;

/** The longest lifetime of a dispatched run's process, plus one minute. */
export const leaseMs = 16 * 60_000;

export function newExecution(
  { newId, now }: Scope,
  { flow, record }: Prepared,
  { surface, executionId }: { surface?: RunSurface | undefined; executionId?: string | undefined } = {},
): Execution {
  const startedAt = now();
  return {
    id: executionId ?? newId('exec'),
    kind: 'dispatch',
    flowId: flow.id,
    flowName: flow.name,
    recordId: record?.id ?? null,
    startedAt: startedAt.toISOString(),
    leaseUntil: new Date(startedAt.getTime() + leaseMs).toISOString(),
    ...(surface && { surface }),
  };
}

/** Whether an execution is stored before its run begins, so that the sweeper tells a webhook if the process crashes. */
export const isStoredFirst = ({ surface }: Execution) => surface?.notifies !== undefined;

/** If results are not to be stored, records them only when the run suspends. */
export function openDispatchRecorder(
  scope: Scope,
  { flow, version, record, persistResults }: Prepared,
  { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
  execution: Execution,
  earlier: readonly Checkpoint[] = [],
): RunRecorder {
  const { id: runId } = execution;
  const facts = {
    userId,
    organizationId,
    runId,
    batchId: null,
    flowId: flow.id,
    flowVersionId: version.id,
    recordId: record?.id ?? null,
    recordName: record?.name ?? null,
    recordMetadata: record?.metadata ?? {},
    flowName: flow.name,
  };
  const { table } = scope;
  const opening = table.writes.insert(executionEntity, execution);
  const isStored = isStoredFirst(execution);
  const open = (more: { ttl?: number } = {}) =>
    openRunRecorder(
      scope,
      { ...facts, ...more },
      async ({ write, isFirst, spent, failed, output, error }) => {
        const hasPaused = earlier.length > 0;
        const end = hasPaused ? endPausedExecution(scope, runId) : closeExecution(table, runId);
        const close = isFirst && !isStored ? [] : [end];
        const status = failed ? 'failed' : 'completed';
        const notice = await runNotice(scope, execution.surface, {
          executionId: runId,
          status,
          output,
          error,
        });
        await table.commit([write, ...close, ...spendingWrites(scope, [spent]), ...notice.writes]);
        await notice.send();
      },
      { ...(!isStored && { opening }), earlier },
    );
  if (persistResults) return open();
  const openExpiring = () => open({ ttl: suspendedRunExpiresAt(scope) });
  return earlier.length > 0 ? openExpiring() : recordWhenSuspended(scope, openExpiring);
}

/** Counts model calls at once. Records the results only if the run suspends. */
function recordWhenSuspended(scope: Scope, open: () => RunRecorder): RunRecorder {
  const results: StepResult[] = [];
  let uncounted: ModelCalls[] = [];
  async function count(): Promise<void> {
    const calls = uncounted;
    uncounted = [];
    soon.stop();
    if (calls.length > 0) await scope.table.commit(usageWrites(scope, [{ flowId: null, calls }]));
  }
  const soon = flushSoon(count);
  return {
    async add({ modelCalls = [], ...result }) {
      results.push(result);
      uncounted.push(...modelCalls);
    },
    spend: (calls) => void uncounted.push(...calls),
    flush: count,
    flushSoon: soon.start,
    finish: count,
    async suspend(wait) {
      const recorder = open();
      for (const result of results) await recorder.add(result);
      recorder.spend(uncounted);
      await recorder.suspend(wait);
    },
  };
}
