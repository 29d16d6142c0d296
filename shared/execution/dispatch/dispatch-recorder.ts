/**
 * The recorder of a dispatched run: stores its results, or only its end if nothing of it is kept.
 * Kept runs write checkpoints like those of batches (`runs/run-recorder.ts`), and the execution is closed with the last
 * one. Runs that are not kept count their spending and list their end; a suspension makes even those write checkpoints,
 * with an expiry.
 * The end is committed once: as cancelled if somebody cancelled the run since its process last looked.
 */

import { getStartedIn } from '../../core/active-span.ts';
import { delayFlush } from '../../core/concurrency/gather.ts';
import type { Unmasked } from '../../core/redaction/hidden.ts';
import { unixSeconds } from '../../core/time.ts';
import { combineNotifications, type EndNotification } from '../../domain/deliveries/end-webhook.ts';
import { listedSeconds } from '../../domain/listed-seconds.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import { type EndStatus, runEntity } from '../../domain/runs/run.ts';
import { createRunNotification, runEnd } from '../../domain/runs/run-end.ts';
import { isNotOver } from '../../domain/runs/run-list.ts';
import { originOfSurface, type RunOrigin } from '../../domain/runs/run-origin.ts';
import { addTotals, noTotals, runUse, totalsOfCalls, totalsOfStep } from '../../domain/runs/run-use.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write, WriteCondition } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { StepResult } from '../engine/engine.ts';
import type { Checkpoint } from '../runs/checkpoint.ts';
import { closeExecution, type Execution, endPausedExecution, executionEntity } from '../runs/execution.ts';
import { endError, type FlowEnding, toFlowEnding, toFlowRun } from '../runs/flow-run-event.ts';
import { openRunRecorder, type RunRecorder } from '../runs/run-recorder.ts';
import { sealedValues } from '../runs/run-variables.ts';
import { toSpendingWrites } from '../runs/spending.ts';
import type { PreparedRun } from './prepare.ts';

/** How long a suspended run is kept if neither its flow nor its record is stored: 30 days after the longest wait. */
const suspendedRunTtlSeconds = 60 * 86_400;
export const getSuspendedRunExpiry = ({ now }: Scope) => unixSeconds(now()) + suspendedRunTtlSeconds;

/** The longest lifetime of a dispatched run's process, plus one minute. */
export const leaseMs = 16 * 60_000;

interface NewExecution {
  surface?: RunSurface | undefined;
  origin?: RunOrigin | undefined;
  executionId?: string | undefined;
}

export function createFlowExecution(
  { newId, now }: Scope,
  { flow, version, record, persistResults }: PreparedRun,
  { surface, origin, executionId }: NewExecution = {},
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
    origin: origin ?? (surface ? originOfSurface(surface) : { trigger: { type: 'api' } }),
    flowVersionId: version.id,
    ...(!persistResults && { listedUntil: unixSeconds(startedAt) + listedSeconds }),
    ...getStartedIn(),
  };
}

/** Whether an execution is stored before its run begins, so that the sweeper tells a webhook if the process crashes. */
export const isStoredFirst = ({ surface }: Execution) => surface?.notifies !== undefined;

interface RecorderOptions {
  input: unknown;
  earlier?: readonly Checkpoint[] | undefined;
  isCancelled: () => boolean;
  /** When the run is in the list, in which its end follows. */
  listed: Promise<void>;
  /** What a retry of the run has to know. */
  start: NonNullable<Checkpoint['start']>;
  /** Whose acts its own are, if it goes on with an earlier run. */
  identity?: string | undefined;
}

/** If results are not to be stored, records them only when the run suspends. */
export function openDispatchRecorder(
  scope: Scope,
  { flow, version, record, persistResults }: PreparedRun,
  { userId, organizationId }: Pick<Principal, 'userId' | 'organizationId'>,
  execution: Execution,
  { input, earlier = [], isCancelled, listed: isListed, start, identity }: RecorderOptions,
): RunRecorder {
  const { id: runId } = execution;
  const facts = {
    userId,
    organizationId,
    runId,
    batchId: null,
    flowId: flow.id,
    flowVersionId: version.id,
    ...(version.subFlows && { subFlows: version.subFlows }),
    recordId: record?.id ?? null,
    recordName: record?.name ?? null,
    recordMetadata: record?.metadata ?? {},
    flowName: flow.name,
    input,
    ...((start.permissions.length > 0 || start.appendsMetadata) && { start }),
    ...(identity !== undefined && { identity }),
    ...(execution.startedIn !== undefined && { startedIn: execution.startedIn }),
  };
  const { table } = scope;
  const opening = table.writes.insert(executionEntity, execution);
  const isStored = isStoredFirst(execution);
  const open = (more: { ttl?: number } = {}) =>
    openRunRecorder(
      scope,
      { ...facts, ...more },
      async ({ write, isFirst, spent, failed, output, error, at, totals }) => {
        const hasPaused = earlier.length > 0;
        const end = hasPaused ? endPausedExecution(scope, runId) : closeExecution(table, runId);
        const close = isFirst && !isStored ? [] : [end];
        await isListed;
        const ending = { status: getFlowEndStatus(failed, isCancelled), at, error, totals };
        await endUnlessCancelled(
          scope,
          execution,
          { ...ending, lastAnswer: output },
          async ({ listed, ...ended }) => {
            const about = { executionId: runId, output, ...ended };
            const notices = combineNotifications(
              await createRunNotification(scope, execution.surface, about),
              listed,
            );
            await table.commit([write, ...close, ...toSpendingWrites(scope, [spent]), ...notices.writes]);
            await notices.send();
          },
        );
      },
      { ...(!isStored && { opening }), earlier, sealed: sealedValues(scope) },
    );
  if (persistResults) return open();
  const openExpiring = () => open({ ttl: getSuspendedRunExpiry(scope) });
  return earlier.length > 0
    ? openExpiring()
    : recordWhenSuspended(scope, { execution, isCancelled, listed: isListed, open: openExpiring });
}

interface Unkept {
  isCancelled: () => boolean;
  listed: Promise<void>;
  execution: Execution;
  open: () => RunRecorder;
}

/** Counts model calls at once. Records the results only if the run suspends. */
function recordWhenSuspended(
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
  const soon = delayFlush(() => count());
  const spend = (calls: readonly ModelCall[]) => {
    totals = addTotals(totals, totalsOfCalls(calls));
    uncounted.push(...calls);
  };
  return {
    async add({ modelCalls = [], ...result }) {
      totals = addTotals(totals, totalsOfStep(result, runUse(modelCalls)));
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
      const lastAnswer = results.at(-1)?.output ?? '';
      const status = getFlowEndStatus(error !== null, isCancelled);
      const ending = { status, at, error, totals, lastAnswer };
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

interface Ended {
  status: EndStatus;
  error: string | null;
  /** Commit it with the end, and send it then. */
  listed: EndNotification;
}

const getFlowEndStatus = (failed: boolean, isCancelled: () => boolean): EndStatus => {
  if (!failed) return 'completed';
  return isCancelled() ? 'cancelled' : 'failed';
};

/**
 * Ends a run, and as cancelled if somebody has cancelled it since its process last looked: the row of the run refuses any
 * other end then.
 */
async function endUnlessCancelled(
  scope: Scope,
  execution: Execution,
  { status, lastAnswer, ...end }: FlowEnding & { status: EndStatus; lastAnswer?: unknown },
  commit: (ended: Ended) => Promise<void>,
): Promise<void> {
  const endAs = async (status: EndStatus, condition?: WriteCondition) => {
    const error = endError(status, end.error);
    const ending = toFlowEnding({ ...end, error }, status);
    const listed = await runEnd(
      scope,
      toFlowRun(execution),
      { ...ending, ...(condition && { condition }) },
      { lastAnswer },
    );
    await commit({ status, error, listed });
  };
  if (status === 'cancelled') return endAs(status);
  try {
    await endAs(status, isNotOver);
  } catch (failure) {
    if (!(failure instanceof ConditionFailed)) throw failure;
    const run = await scope.table.get(runEntity, { id: execution.id }, { consistent: true });
    if (run?.status !== 'cancelled') throw failure;
    await endAs('cancelled');
  }
}
