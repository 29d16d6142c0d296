/**
 * Stores batches: creation, the list of their records, planning, stop and settlement.
 * A batch has no status of its own. It follows from the counters of its slots until `settleBatch` stores the `outcome`;
 * every read of a batch through `batchFinder` may be the one that settles it, and the condition lets one of them win.
 * The end is listed in the same transaction; deliveries are sent after it.
 * `stop` lists the end at once. Records that run then still finish, so settling relists a stopped batch with their
 * counts.
 */
import { conflict } from '../../core/errors/errors.ts';
import { measure } from '../../core/invocation.ts';
import { noNotification } from '../../domain/deliveries/end-webhook.ts';
import { type EndStatus, runEntity } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { createEndWrite, type NewRun, type RunEnding } from '../../domain/runs/run-list.ts';
import { childListing, type ParentListing, type RunOrigin } from '../../domain/runs/run-origin.ts';
import { using } from '../../platform/aws/uses.ts';
import { removeFromSweepIndex } from '../../platform/cleanup/sweeps.ts';
import { ConditionFailed, onConditionFailed } from '../../platform/data/condition-failed.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { exists, type Write } from '../../platform/data/writes.ts';
import { type Batch, type BatchSummary, batchEntity, batchRecordsEntity } from './batch.ts';
import {
  type BatchOutcome,
  type BatchProgress,
  isBatchOver,
  listLatestBatches,
  readBatchOutcome,
  readBatchStates,
  readSlots,
  type SlottedBatch,
  sumSlots,
  toBatchProgress,
} from './batch-progress.ts';
import { type SlotTotals, sumSlotTotals } from './slot-counters.ts';

/** Another process has created the batch. Not a conflict: repeating the creation cannot succeed. */
class BatchExists extends Error {}

/** What belongs to the batch was refused, so there is no batch. Repeating the creation cannot succeed. */
export class BatchRefused extends Error {}

/** Of 30 characters each. */
const listedRecordsMax = 5_000;

/** The slot, and so the FIFO message group, of the n-th record of a batch. */
export const recordSlot = (batch: Pick<Batch, 'recordConcurrency'>, n: number) => n % batch.recordConcurrency;

/** Looking at a batch settles it, if its last record is done. */
export const batchFinder = /* @__PURE__ */ using(['table:write', runEnd], (scope: Scope) => {
  const { table } = scope;

  const get = (id: string): Promise<Batch> => table.find(batchEntity, { id }, { consistent: true });

  return {
    get,
    totals: (batch: BatchSummary) => readBatchOutcome(scope, batch),
    latest: (limit: number) => listLatestBatches(scope, limit),
    statesOf: (ids: readonly string[], ahead?: SlottedBatch) => readBatchStates(scope, ids, ahead),
    settleBatch: (batch: Batch) => settleBatch(scope, batch),

    /** Call when the last record of the batch may be done. */
    async settle(id: string): Promise<BatchProgress | undefined> {
      const batch = await table.get(batchEntity, { id }, { consistent: true });
      return batch && settleBatch(scope, batch);
    },
  };
});

export const batchStore = /* @__PURE__ */ using([batchFinder, payloadStore], (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadStore(scope);
  const finder = batchFinder(scope);

  /** A list of retried records may be longer than an item is. */
  async function storeRecordIds(id: string, recordIds: readonly string[]) {
    const isLong = recordIds.length > listedRecordsMax;
    return isLong
      ? { recordIds: [], offloaded: await payloads.offload(`batches/${id}/records`, recordIds) }
      : { recordIds: [...recordIds] };
  }

  return {
    ...finder,

    /**
     * @param recordIds The listed records, if there are too many for the batch item. @param alsoWrite Written in the same
     * transaction. @param refusable Likewise; what `BatchRefused` is about. @throws BatchExists, BatchRefused
     */
    create: async (
      batch: Batch,
      {
        recordIds,
        alsoWrite = [],
        refusable = [],
      }: { recordIds?: readonly string[]; alsoWrite?: readonly Write[]; refusable?: readonly Write[] } = {},
    ): Promise<void> =>
      table
        .commit([
          table.writes.insert(batchEntity, batch),
          ...refusable,
          ...alsoWrite,
          ...(recordIds
            ? [
                table.writes.insert(batchRecordsEntity, {
                  id: batch.id,
                  ...(await storeRecordIds(batch.id, recordIds)),
                }),
              ]
            : []),
        ])
        .catch((error) => {
          if (!(error instanceof ConditionFailed)) throw error;
          if (error.failed.includes(0)) throw new BatchExists();
          throw error.failed.some((index) => index <= refusable.length) ? new BatchRefused() : error;
        }),

    async recordIds({ id, recordIds }: Batch): Promise<readonly string[]> {
      if (recordIds) return recordIds;
      const listed = await table.get(batchRecordsEntity, { id }, { consistent: true });
      if (listed?.offloaded) return (await payloads.fetch(listed.offloaded)) as string[];
      return listed?.recordIds ?? [];
    },

    /** Call when every record is enqueued. */
    finishPlanning: (id: string, totalRecords: number) =>
      table.commit([table.writes.update(batchEntity, { id }, { set: { planned: true, totalRecords } })]),

    /** Cancels or fails a batch. @throws 409 after its end */
    stop: async (id: string, stopped: 'cancelled' | 'failed', error: string | null = null): Promise<Batch> =>
      stopBatch(scope, await finder.get(id), { stopped, error }),
  };
});

/** A stopped batch is exported with the records that end so soon. */
const runningSeconds = 10;

/** Stores the outcome of a batch that has ended, and lists its end; a single run lists its own. @returns its progress. */
async function settleBatch(scope: Scope, batch: Batch): Promise<BatchProgress> {
  const { table, now } = scope;
  if (batch.outcome) return toBatchProgress(batch, batch.outcome);
  const slots = await readSlots(scope, batch);
  const outcome = sumSlots(batch.startedAt, slots);
  const progress = toBatchProgress(batch, outcome);
  if (batch.stopped && !batch.dispatched) await relistStopped(scope, batch, outcome, sumSlotTotals(slots));
  if (!isBatchOver(batch, outcome)) return progress;
  const { status, completedAt } = progress;
  const isListed = !batch.dispatched && !batch.stopped && (status === 'completed' || status === 'failed');
  const at = completedAt ?? now().toISOString();
  const end = isListed
    ? await runEnd(
        scope,
        toBatchRun(batch),
        toBatchEnding(batch, outcome, sumSlotTotals(slots), { status, at }),
      )
    : noNotification;
  const write = table.writes.update(
    batchEntity,
    { id: batch.id },
    { set: { outcome }, ...removeFromSweepIndex },
    { expression: 'attribute_exists(PK) AND attribute_not_exists(#summary.#outcome)' },
  );
  const isFirst = await table.commit([write, ...end.writes]).then(() => true, onConditionFailed(false));
  if (!isFirst) return progress;
  if (status === 'completed') measure('BatchesCompleted');
  await end.send();
  return progress;
}

/** Cancels or fails a batch. Records that run now still finish; no further record starts. */
async function stopBatch(
  scope: Scope,
  batch: Batch,
  { stopped, error }: { stopped: 'cancelled' | 'failed'; error: string | null },
): Promise<Batch> {
  const { table, now } = scope;
  const slots = await readSlots(scope, batch);
  const outcome = sumSlots(batch.startedAt, slots);
  const { status } = toBatchProgress(batch, outcome);
  if (status !== 'scheduled' && status !== 'running')
    throw conflict(`The batch already has the status ${status}`);
  const at = now().toISOString();
  const set = { stopped, stoppedAt: at, error };
  const ending = toBatchEnding({ ...batch, error }, outcome, sumSlotTotals(slots), {
    status: stopped,
    at,
  });
  // A run by itself ends itself once more, with its steps.
  const end = await runEnd(scope, toBatchRun(batch), ending, {
    isTold: !batch.dispatched,
    delaySeconds: runningSeconds,
  });
  const open = { expression: 'attribute_type(#summary.#stopped, :null)', values: { null: 'NULL' } };
  try {
    await table.commit([table.writes.update(batchEntity, { id: batch.id }, { set }, open), ...end.writes]);
    await end.send();
    measure(stopped === 'cancelled' ? 'BatchesCancelled' : 'BatchesFailed');
    return { ...batch, ...set };
  } catch (failure) {
    throw failure instanceof ConditionFailed ? conflict('The batch has already ended') : failure;
  }
}

const getOrigin = ({ origin, userId }: Batch): RunOrigin => origin ?? { trigger: { type: 'api', userId } };

/** A batch as it is listed; a single run by its execution. */
export function toBatchRun(batch: Batch): NewRun {
  const { id, dispatched, flowName: name, flowId, flowVersionId, startedAt, ttl } = batch;
  const common = {
    name,
    flowId,
    flowVersionId,
    ...getOrigin(batch),
    startedAt,
    ...(ttl !== undefined && { ttl }),
  };
  if (!dispatched) return { id, kind: 'batch', ...common };
  const { runId, recordId } = dispatched;
  return { id: runId, kind: 'flow', ...common, batchId: id, ...(recordId && { recordId }) };
}

export const toBatchListing = (batch: Batch): ParentListing =>
  childListing(batch.dispatched?.runId ?? batch.id, getOrigin(batch));

export const batchCancelled = 'The batch was cancelled';

/** @param at ISO 8601. */
function toBatchEnding(
  { totalRecords: total, error }: Batch,
  { processed, failed }: BatchOutcome,
  { totals, records }: SlotTotals,
  { status, at }: { status: EndStatus; at: string },
): RunEnding {
  const cancelled = Math.max(0, total - processed);
  const reasons = {
    failed: `All ${total} records failed`,
    cancelled: batchCancelled,
    completed: null,
  };
  const message = error ?? reasons[status];
  const code = status === 'cancelled' ? 'CANCELLED' : 'BATCH_FAILED';
  return {
    status,
    at,
    totals,
    records,
    counts: { total, completed: processed - failed, failed, cancelled },
    error: status === 'completed' || message === null ? null : { code, message },
  };
}

/** Records that ran when their batch was stopped end later: its row tells of them too. */
async function relistStopped(
  scope: Pick<Scope, 'table' | 'now'>,
  batch: Batch,
  outcome: BatchOutcome,
  slotTotals: SlotTotals,
): Promise<void> {
  const { table, now } = scope;
  const { id, stopped, stoppedAt } = batch;
  const row = await table.get(runEntity, { id });
  if (!row || !stopped) return;
  const at = stoppedAt ?? now().toISOString();
  const ending = toBatchEnding(batch, outcome, slotTotals, { status: stopped, at });
  const { completed, failed } = ending.counts ?? { completed: 0, failed: 0 };
  const isListed = row.counts?.completed === completed && row.counts.failed === failed;
  if (isListed && row.totalCost === ending.totals.cost.toFixed()) return;
  const write = createEndWrite(scope, toBatchRun(batch), { ...ending, condition: exists });
  await table.commit([write]).catch(onConditionFailed(undefined));
}
