import { notFound } from '../../core/errors/errors.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { type Batch, type BatchSummary, batchEntity, batchRecordsEntity } from './batch.ts';
import { settledBatch, stopBatch } from './batch-ending.ts';
import type { BatchProgress } from './batch-progress.ts';
import { batchStates, latestBatches } from './batch-states.ts';
import { batchOutcome, type SlottedBatch } from './read-slots.ts';

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

  async function get(id: string): Promise<Batch> {
    const batch = await table.get(batchEntity, { id }, { consistent: true });
    if (!batch) throw notFound('Batch');
    return batch;
  }

  return {
    get,
    totals: (batch: BatchSummary) => batchOutcome(scope, batch),
    latest: (limit: number) => latestBatches(scope, limit),
    statesOf: (ids: readonly string[], ahead?: SlottedBatch) => batchStates(scope, ids, ahead),
    settled: (batch: Batch) => settledBatch(scope, batch),

    /** Call when the last record of the batch may be done. */
    async settle(id: string): Promise<BatchProgress | undefined> {
      const batch = await table.get(batchEntity, { id }, { consistent: true });
      return batch && settledBatch(scope, batch);
    },
  };
});

export const batchStore = /* @__PURE__ */ using([batchFinder, payloadStore], (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadStore(scope);
  const finder = batchFinder(scope);

  /** A list of retried records may be longer than an item is. */
  async function listOf(id: string, recordIds: readonly string[]) {
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

    /** Call when every record is enqueued. */
    finishPlanning: (id: string, totalRecords: number) =>
      table.commit([table.writes.update(batchEntity, { id }, { set: { planned: true, totalRecords } })]),

    /** Cancels or fails a batch. @throws 409 after its end */
    stop: async (id: string, stopped: 'cancelled' | 'failed', error: string | null = null): Promise<Batch> =>
      stopBatch(scope, await finder.get(id), { stopped, error }),
  };
});
