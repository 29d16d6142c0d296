/**
 * Enqueues the records of a batch, page by page, as messages of its slots.
 * A plan message names the last record of the page before. The worker `plan-batch` sends the records of a page and then
 * the next plan message; the last page sets `planned` and the final number of records.
 * Ids of runs and deduplication ids of messages derive from the batch and its records, so a page that is planned twice
 * after a crash sends the same messages. A resend (`stalled-batches.ts`) gets new deduplication ids and the same run
 * ids.
 */
import * as z from 'zod';
import { toChunks } from '../../core/chunks.ts';
import { ifCode } from '../../core/errors/errors.ts';
import { deriveId } from '../../core/ids.ts';
import { recordsRange } from '../../domain/records/record.ts';
import { sendGrouped } from '../../platform/aws/queues.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Batch } from './batch.ts';
import { batchStore, recordSlot } from './batch-store.ts';
import {
  getRecordsPerMessage,
  joinRunMessages,
  type RunMessage,
  resendName,
  toFifoGroup,
} from './run-message.ts';

/** Asks a worker to enqueue the records of a batch, from the n-th on. */
export const PlanMessage = z.object({
  tenant: z.string(),
  batchId: z.string(),
  /** The last record of the previous page. */
  after: z.string().nullable(),
  n: z.int(),
  /** How many messages of this chain came before. */
  round: z.int().optional(),
  /** Records for each message of this chain. */
  perPlan: z.int().min(1).optional(),
  /** Counts the resends, if the records were planned before. */
  again: z.int().optional(),
});
export type PlanMessage = z.infer<typeof PlanMessage>;

/** The time in a run's id is the start of its batch. */
export const toRecordRunId = ({ id, startedAt }: Pick<Batch, 'id' | 'startedAt'>, recordId: string) =>
  deriveId('exec', Date.parse(startedAt), id, recordId);

export interface ListedRecord {
  id: string;
  type: string;
  name: string;
}

/** Records per plan message unless it says otherwise: a few seconds of work. */
const recordsPerPlan = 5_000;
const recordsPerQuery = 1_000;
/** Twice what the batch needs, since records may get its type while it is planned. Ends a chain that does not advance. */
const getRoundsMax = ({ totalRecords }: Batch, perPlan: number) => 2 * Math.ceil(totalRecords / perPlan) + 2;

const parts = [batchStore, 'queue:plan', 'queue:runs'] as const;

export const batchPlanner = /* @__PURE__ */ using(parts, (scope: Scope) => {
  const { table } = scope;
  const batches = batchStore(scope);

  /** The first records of a type after an id, oldest first, up to and including the id `until`. */
  async function listRecordsOfType(
    type: string,
    { after, until, limit }: { after?: string | null; until?: string; limit: number },
  ): Promise<{ records: ListedRecord[]; isCut: boolean }> {
    const range = { ...recordsRange(type), ...(after && { from: after }), ...(until && { to: until }) };
    const { items, isCut } = await table.first(limit + 1, range);
    const records = items
      .map(({ SK2, summary }) => ({ ...(summary as object), id: SK2 }) as ListedRecord)
      .filter(({ id }) => id !== after);
    return { records: records.slice(0, limit), isCut: isCut || records.length > limit };
  }

  /** Sends the records of each slot as one FIFO message group, some to a message. */
  async function enqueue(
    batch: Batch,
    records: readonly { id: string }[],
    first: number,
    sending?: number,
  ): Promise<void> {
    const runs = records.map(
      ({ id: recordId }, index): RunMessage => ({
        tenant: table.tenant,
        batchId: batch.id,
        flowId: batch.flowId,
        recordId,
        runId: toRecordRunId(batch, recordId),
        slot: recordSlot(batch, first + index),
        ...(first + index >= batch.totalRecords - batch.recordConcurrency && { isLast: true as const }),
        ...(sending && { sending }),
        ...((batch.reuse || batch.continues) && { takesEarlier: true as const }),
      }),
    );
    const fifoGroups = [...Map.groupBy(runs, ({ slot }) => slot).values()].map((slotRuns) => {
      return toChunks(slotRuns, getRecordsPerMessage(slotRuns.length)).map((some) => {
        const body = joinRunMessages(some);
        // Both ends, since records may be deleted before a page is planned again.
        const ends = new Set([some[0]?.recordId, some.at(-1)?.recordId]);
        const id = [batch.id, ...ends, ...(sending ? [resendName(sending)] : [])].join('.');
        return { id, group: toFifoGroup(body), body };
      });
    });
    for (const some of toChunks(fifoGroups, 10)) {
      await Promise.all(some.map((fifoGroup) => sendGrouped('RUNS_QUEUE_URL', fifoGroup)));
    }
  }

  async function enqueuePlan(message: PlanMessage): Promise<void> {
    const { batchId, n, again } = message;
    const id = `${batchId}.${n}${again ? `.${resendName(again)}` : ''}`;
    await sendGrouped('PLAN_QUEUE_URL', [{ id, group: batchId, body: message }]);
  }

  async function fail({ id, totalRecords }: Batch): Promise<undefined> {
    const reason = `Enqueuing the ${totalRecords} records took too many messages`;
    await batches.stop(id, 'failed', reason).catch(ifCode('CONFLICT', undefined));
  }

  return {
    listRecordsOfType,
    enqueue,

    /** Plans one page. @returns the next page, or undefined when the batch is planned. */
    async plan(message: PlanMessage): Promise<PlanMessage | undefined> {
      const { batchId, after, n, round = 0, again } = message;
      const batch = await batches.get(batchId);
      const { perPlan = batch.chunkSize ?? recordsPerPlan } = message;
      if (batch.stopped || (batch.planned && !again)) return;
      if (round > getRoundsMax(batch, perPlan)) return fail(batch);
      const finish = async (count: number) => {
        if (batch.planned) return;
        await batches.finishPlanning(batchId, count);
        await batches.settle(batchId);
      };
      const { recordType, lastRecordId: until } = batch;
      if (recordType === null) {
        const ids = await batches.recordIds(batch);
        const page = ids.slice(n, n + perPlan).map((id) => ({ id }));
        await enqueue(batch, page, n, again);
        if (n + perPlan < ids.length) return { ...message, n: n + perPlan, round: round + 1 };
        return void (await finish(ids.length));
      }
      let last = after;
      let planned = 0;
      while (planned < perPlan) {
        const limit = Math.min(perPlan - planned, recordsPerQuery);
        const place = { after: last, ...(until && { until }), limit };
        const { records, isCut } = await listRecordsOfType(recordType, place);
        await enqueue(batch, records, n + planned, again);
        planned += records.length;
        last = records.at(-1)?.id ?? last;
        if (!isCut) return void (await finish(n + planned));
      }
      return { ...message, after: last, n: n + planned, round: round + 1 };
    },

    /** Resends the messages of a batch. `sending` counts the resends. */
    async resend(batch: Batch, sending: number): Promise<void> {
      const { id: batchId, flowId, dispatched } = batch;
      const { tenant } = table;
      if (!dispatched) return enqueuePlan({ tenant, batchId, after: null, n: 0, again: sending });
      const { runId, recordId } = dispatched;
      const body: RunMessage = { tenant, batchId, flowId, recordId, runId, slot: 0, sending };
      await sendGrouped('RUNS_QUEUE_URL', [
        { id: `${batchId}.${runId}.${resendName(sending)}`, group: toFifoGroup(body), body },
      ]);
    },

    enqueuePlan,
  };
});
