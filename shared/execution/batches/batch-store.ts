import { conflict, notFound } from '../../core/errors/errors.ts';
import { measure } from '../../core/invocation.ts';
import { noNotice } from '../../domain/deliveries/end-notice.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { using } from '../../platform/aws/uses.ts';
import { removeFromSweepIndex } from '../../platform/cleanup/sweeps.ts';
import { ConditionFailed, ifRefused } from '../../platform/data/condition-failed.ts';
import { decodeReadable } from '../../platform/data/entity.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import {
  type Batch,
  BatchSummary,
  batchEntity,
  batchesPartition,
  batchRecordsEntity,
  slotEntity,
  slotItems,
} from './batch.ts';
import {
  type BatchOutcome,
  type BatchProgress,
  batchProgress,
  isBatchOver,
  sumSlots,
} from './batch-progress.ts';
import { endingOfBatch, relistStopped, runOfBatch } from './batch-run.ts';
import type { SlotItem } from './slot-counters.ts';
import { totalsOfSlots } from './slot-totals.ts';

export interface BatchState {
  progress: BatchProgress;
  /** USD for all model calls. */
  cost: number;
  error: string | null;
  isPlanned: boolean;
}

type SlottedBatch = Pick<BatchSummary, 'id' | 'recordConcurrency'>;

/** Another process has created the batch. Not a conflict: repeating the creation cannot succeed. */
class BatchExists extends Error {}

/** What belongs to the batch was refused, so there is no batch. Repeating the creation cannot succeed. */
export class BatchRefused extends Error {}

/** Of 30 characters each. */
const listedRecordsMax = 5_000;

/** A stopped batch is exported with the records that end so soon. */
const runningSeconds = 10;

/** The slot, and so the FIFO message group, of the n-th record of a batch. */
export const recordSlot = (batch: Pick<Batch, 'recordConcurrency'>, n: number) => n % batch.recordConcurrency;

export const batchStore = /* @__PURE__ */ using(['table:write', payloadStore, runEnd], (scope: Scope) => {
  const { table, now } = scope;
  const payloads = payloadStore(scope);
  const slotsOf = ({ id, recordConcurrency }: SlottedBatch) =>
    Array.from({ length: recordConcurrency }, (_, slot) => slotEntity.key({ batchId: id, slot }));

  async function get(id: string): Promise<Batch> {
    const batch = await table.get(batchEntity, { id }, { consistent: true });
    if (!batch) throw notFound('Batch');
    return batch;
  }

  /** A list of retried records may be longer than an item is. */
  async function listOf(id: string, recordIds: readonly string[]) {
    const isLong = recordIds.length > listedRecordsMax;
    return isLong
      ? { recordIds: [], offloaded: await payloads.offload(`batches/${id}/records`, recordIds) }
      : { recordIds: [...recordIds] };
  }

  async function totals(batch: BatchSummary, { consistent = true } = {}): Promise<BatchOutcome> {
    return batch.outcome ?? sumSlots(batch.startedAt, await slotsIn(batch, consistent));
  }

  const slotsIn = async (batch: BatchSummary, consistent = true): Promise<SlotItem[]> =>
    slotItems(await table.getMany(slotsOf(batch), { consistent }));

  /** Stores the outcome of a batch that has ended, and lists its end; a single run lists its own. @returns its progress. */
  async function settled(batch: Batch): Promise<BatchProgress> {
    if (batch.outcome) return batchProgress(batch, batch.outcome);
    const slots = await slotsIn(batch);
    const outcome = sumSlots(batch.startedAt, slots);
    const progress = batchProgress(batch, outcome);
    if (batch.stopped && !batch.dispatched) await relistStopped(scope, batch, outcome, totalsOfSlots(slots));
    if (!isBatchOver(batch, outcome)) return progress;
    const { status, completedAt } = progress;
    const isListed = !batch.dispatched && !batch.stopped && (status === 'completed' || status === 'failed');
    const at = completedAt ?? now().toISOString();
    const end = isListed
      ? await runEnd(
          scope,
          runOfBatch(batch),
          endingOfBatch(batch, outcome, totalsOfSlots(slots), { status, at }),
        )
      : noNotice;
    const write = table.writes.update(
      batchEntity,
      { id: batch.id },
      { set: { outcome }, ...removeFromSweepIndex },
      { expression: 'attribute_exists(PK) AND attribute_not_exists(#summary.#outcome)' },
    );
    const isFirst = await table.commit([write, ...end.writes]).then(() => true, ifRefused(false));
    if (!isFirst) return progress;
    if (status === 'completed') measure('BatchesCompleted');
    await end.send();
    return progress;
  }

  /** A list may lag behind. What it shows as ended has ended: counters only grow. */
  const listedTotals = (batch: BatchSummary) => totals(batch, { consistent: false });

  return {
    get,
    settled,
    totals,

    /** Call when the last record of the batch may be done. */
    async settle(id: string): Promise<BatchProgress | undefined> {
      const batch = await table.get(batchEntity, { id }, { consistent: true });
      return batch && settled(batch);
    },

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
                  ...(await listOf(batch.id, recordIds)),
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

    async latest(limit: number): Promise<{ batch: BatchSummary; progress: BatchProgress }[]> {
      const { items } = await table.query({
        partition: batchesPartition,
        index: 1,
        newestFirst: true,
        limit,
      });
      const batches = items.map(({ SK1, summary }) =>
        BatchSummary.parse({ ...(summary as object), id: SK1 }),
      );
      return Promise.all(
        batches.map(async (batch) => ({ batch, progress: batchProgress(batch, await listedTotals(batch)) })),
      );
    },

    /** @param ahead The batch whose slots are read beside the batches, because it is likely to be unfinished. */
    async statesOf(ids: readonly string[], ahead?: SlottedBatch): Promise<Map<string, BatchState>> {
      const slotKeys = ahead ? slotsOf(ahead) : [];
      const items = await table.getMany([...ids.map((id) => batchEntity.key({ id })), ...slotKeys]);
      const slots = items.slice(ids.length);
      const isAhead = ({ id, recordConcurrency }: Batch) =>
        ahead?.id === id && ahead.recordConcurrency >= recordConcurrency;
      const states = decodeReadable(batchEntity, items.slice(0, ids.length)).map(async (batch) => {
        const outcome =
          batch.outcome ??
          (isAhead(batch) ? sumSlots(batch.startedAt, slotItems(slots)) : await listedTotals(batch));
        const { cost } = outcome;
        const { error, planned: isPlanned } = batch;
        return [batch.id, { progress: batchProgress(batch, outcome), cost, error, isPlanned }] as const;
      });
      return new Map(await Promise.all(states));
    },

    /** Call when every record is enqueued. */
    finishPlanning: (id: string, totalRecords: number) =>
      table.commit([table.writes.update(batchEntity, { id }, { set: { planned: true, totalRecords } })]),

    /** Cancels or fails a batch. Records that run now still finish; no further record starts. */
    async stop(id: string, stopped: 'cancelled' | 'failed', error: string | null = null): Promise<Batch> {
      const batch = await get(id);
      const slots = await slotsIn(batch);
      const outcome = sumSlots(batch.startedAt, slots);
      const { status } = batchProgress(batch, outcome);
      if (status !== 'scheduled' && status !== 'running')
        throw conflict(`The batch already has the status ${status}`);
      const at = now().toISOString();
      const set = { stopped, stoppedAt: at, error };
      const ending = endingOfBatch({ ...batch, error }, outcome, totalsOfSlots(slots), {
        status: stopped,
        at,
      });
      // A run by itself ends itself once more, with its steps.
      const end = await runEnd(scope, runOfBatch(batch), ending, {
        isTold: !batch.dispatched,
        delaySeconds: runningSeconds,
      });
      const open = { expression: 'attribute_type(#summary.#stopped, :null)', values: { null: 'NULL' } };
      try {
        await table.commit([table.writes.update(batchEntity, { id }, { set }, open), ...end.writes]);
        await end.send();
        measure(stopped === 'cancelled' ? 'BatchesCancelled' : 'BatchesFailed');
        return { ...batch, ...set };
      } catch (failure) {
        throw failure instanceof ConditionFailed ? conflict('The batch has already ended') : failure;
      }
    },
  };
});
