/**
 * Starts batches: selects the records, chooses the version, creates the batch within the tenant's share, sends what runs
 * it.
 * Order: find the flow and the records (404 or 400 before anything is written), check the spending limits, commit the
 * batch with its share and the row of its run in one transaction (`startWithinShare`), then send its messages. A small batch
 * (`smallBatchMax`) sends them all at once, a larger one its first plan message (`batch-plan.ts`), a single run its only
 * message.
 * After the commit nothing fails the request: what could not be sent is logged, and the sweep (`stalled-batches.ts`)
 * sends it. A crash between the two leaves the same state.
 * `startOnce` serves redelivered requests (schedules, webhooks, background runs): the id decides, and a second start
 * finds the first one's batch.
 */

import { getStartedIn } from '../../core/active-span.ts';
import { type ErrorDetail, invalidAt, notFound } from '../../core/errors/errors.ts';
import { deriveId, getIdTimeMs } from '../../core/ids.ts';
import { measure } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import type { Variables } from '../../core/variables.ts';
import type { Message } from '../../domain/conversations/message.ts';
import { type Flow, flowEntity } from '../../domain/flows/flow.ts';
import { flowFinder, flowStore } from '../../domain/flows/flow-store.ts';
import { targetPages } from '../../domain/records/bulk/bulk-targets.ts';
import { recordsRange } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { hourMarks } from '../../domain/runs/hour-marks.ts';
import type { ReuseOptions } from '../../domain/runs/reuse-options.ts';
import { createRunWrite } from '../../domain/runs/run-list.ts';
import { originOfCall, type RunLabels, type RunOrigin } from '../../domain/runs/run-origin.ts';
import type { ScheduleRecordFilter } from '../../domain/schedules/schedule.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import { preloadItems } from '../../platform/data/read-ahead.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { startBudgetCheck } from '../model-calls/budget-accounts.ts';
import { runVersions } from '../runs/run-versions.ts';
import { type Batch, batchEntity, offloadBatchInput, smallBatchMax } from './batch.ts';
import { batchPlanner, type ListedRecord } from './batch-plan.ts';
import { batchStore, toBatchRun } from './batch-store.ts';
import { runningBatchesKey, slotDivider, startWithinShare } from './slot-sharing.ts';

/** The response lists the first thousand records: it must fit 6 MB. */
const listedMax = 1_000;
/** How many missing records a 404 response lists. */
const missingListedMax = 10;

/** The records of a new batch: the first of them, and what the batch stores of all. */
interface BatchRecords {
  records: readonly { id: string }[];
  extent: Pick<Batch, 'recordType' | 'totalRecords' | 'lastRecordId'>;
}

/** Those of an empty list are none, and of an empty type too. */
const batchRecords = /* @__PURE__ */ using([batchPlanner, 'table:read'], (scope: Scope) => {
  const { table } = scope;

  /** The id of the newest record in a range, independent of the clock. */
  async function readNewestId(range: ReturnType<typeof recordsRange>): Promise<string> {
    const { items } = await table.first(1, { ...range, newestFirst: true });
    return items[0]?.SK2 as string;
  }

  return {
    /** @throws 404 that lists the missing ones */
    async selectExisting(recordIds: readonly string[]): Promise<BatchRecords> {
      const missing = await recordStore(scope).findMissing(recordIds);
      if (missing.length > 0) throw createMissingRecordsError(recordIds, missing);
      return selectListed(recordIds);
    },

    async selectOfType(recordType: string): Promise<BatchRecords & { records: ListedRecord[] }> {
      const { records, isCut } = await batchPlanner(scope).listRecordsOfType(recordType, {
        limit: listedMax,
      });
      const range = recordsRange(recordType);
      const [totalRecords, lastRecordId] = isCut
        ? await Promise.all([table.count(range), readNewestId(range)])
        : [records.length, records.at(-1)?.id ?? ''];
      return { records, extent: { recordType, totalRecords, ...(lastRecordId && { lastRecordId }) } };
    },
  };
});

/** Whether they exist is not asked. */
const selectListed = (recordIds: readonly string[]): BatchRecords => ({
  records: recordIds.map((id) => ({ id })),
  extent: { recordType: null, totalRecords: recordIds.length },
});

export const createMissingRecordsError = (recordIds: readonly string[], missing: readonly string[]) =>
  notFound('Record', missing.slice(0, missingListedMax).map(toMissingDetail(recordIds)));

export const createNoRecordsError = (recordType: string) =>
  invalidAt('recordType', 'NO_RECORDS', `No record has the type "${recordType}"`);

const toMissingDetail =
  (recordIds: readonly string[]) =>
  (id: string): ErrorDetail => ({
    path: `recordIds.${recordIds.indexOf(id)}`,
    code: 'NOT_FOUND',
    message: `Record ${id} does not exist`,
  });

/** What a new batch may be given, beyond its options. */
type BatchFields = BatchOptions & { id?: string; flowVersionId?: string } & Pick<
    Batch,
    'subFlows' | 'dispatched' | 'surface' | 'origin' | 'retryOf' | 'firstBatchId' | 'continues'
  >;

interface NewBatch extends BatchRecords {
  flow: Flow;
  owner: BatchOwner;
  fields: BatchFields;
  /** What is written in the transaction that creates it. Refused, it throws `BatchRefused`. */
  alsoWrite?: readonly Write[] | undefined;
}

/** Creates a batch and sends what starts it: all messages of a small one, and of a large one its first plan. */
const batchBeginner = /* @__PURE__ */ using(
  [flowStore, batchPlanner, startBudgetCheck, slotDivider],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const planner = batchPlanner(scope);

    function send(batch: Batch, records: readonly { id: string }[]): Promise<void> {
      if (batch.dispatched) return planner.resend(batch, 0);
      if (batch.planned) return planner.enqueue(batch, records, 0);
      return planner.enqueuePlan({ tenant: table.tenant, batchId: batch.id, after: null, n: 0 });
    }

    async function create(batch: Batch, listedIds: string[] | undefined, refusable: readonly Write[]) {
      const { recordConcurrency, totalRecords, planned } = batch;
      const slots = Math.min(recordConcurrency, totalRecords);
      await startWithinShare(scope, { ...batch, slots }, (share, alsoWrite) => {
        batch.slotShare = share;
        batch.claimedSlots =
          share === undefined ? undefined : Array.from({ length: share }, (_, slot) => slot);
        const recordIds = planned ? undefined : listedIds;
        const listing = createRunWrite(scope, toBatchRun(batch));
        return batchStore(scope).create(batch, {
          ...(recordIds && { recordIds }),
          alsoWrite: [...alsoWrite, listing],
          refusable,
        });
      });
      measure('BatchesStarted');
    }

    return async ({ flow, owner, records, extent, fields, alsoWrite = [] }: NewBatch): Promise<Batch> => {
      const { id: flowVersionId, steps, subFlows } = await findVersion(scope, flow, owner, fields);
      await startBudgetCheck(scope).flow(flow.id, steps, fields);
      const planned = extent.totalRecords <= smallBatchMax;
      const isListed = extent.recordType === null && !fields.dispatched;
      const recordIds = isListed ? records.map(({ id }) => id) : undefined;
      const batch: Batch = {
        id: newId('batch'),
        flowId: flow.id,
        flowName: flow.name,
        userId: owner.userId,
        organizationId: owner.organizationId,
        ...fields,
        ...extent,
        flowVersionId,
        ...(subFlows && { subFlows }),
        planned,
        stopped: null,
        stoppedAt: null,
        error: null,
        startedAt: now().toISOString(),
        ...getStartedIn(),
        ...(planned && recordIds && { recordIds }),
      };
      await create(batch, recordIds, alsoWrite);
      // The batch exists and will run. An error here would make the caller start it again.
      const logError = (what: string) => (error: unknown) => log.error(what, { error, batchId: batch.id });
      await Promise.all([
        // What crashes before it has anything else is found by its hour.
        batch.dispatched && hourMarks(scope)(batch.startedAt),
        send(batch, records).catch(
          logError('The messages of a batch could not be sent; the sweeper will send them'),
        ),
        flowStore(scope).markRun(flow).catch(logError('The last run of a flow could not be recorded')),
      ]);
      if (batch.totalRecords === 0) await batchStore(scope).settle(batch.id);
      return batch;
    };
  },
);

/** What the batch runs: the version that its owner's environment runs now, or the given one, as it was linked before. */
function findVersion(
  scope: Scope,
  flow: Flow,
  { environment }: BatchOwner,
  { flowVersionId, subFlows }: Pick<BatchFields, 'flowVersionId' | 'subFlows'>,
) {
  const versions = runVersions(scope);
  if (flowVersionId === undefined) return versions.resolve(flow, environment);
  return subFlows === undefined
    ? versions.get(flow.id, flowVersionId)
    : versions.getStarted(flow.id, flowVersionId, subFlows);
}

interface RepeatableBatch {
  id: string;
  /** The records by their ids or their type. Without either, one run without a record. */
  records: SelectedRecords | null;
  /** These three are for a run without a record. */
  inputs?: Variables;
  messages?: readonly Message[];
  surface?: Batch['surface'];
  origin: RunOrigin;
  /** What is written in the transaction that creates it. Refused, it throws `BatchRefused`. */
  alsoWrite?: readonly Write[];
  options: BatchOptions;
}

interface RetryOptions
  extends BatchOptions,
    Required<Pick<Batch, 'id' | 'flowVersionId' | 'retryOf' | 'firstBatchId'>>,
    Pick<Batch, 'subFlows' | 'origin' | 'continues' | 'unsafe'> {
  /** Refused, it throws `BatchRefused`. */
  alsoWrite: readonly Write[];
}

type SelectedOptions = { options: BatchOptions } & Required<Pick<Batch, 'flowVersionId' | 'origin'>>;

interface StartedBatch {
  batch: Batch;
  records: ListedRecord[];
  recordCount: number;
}

export const batchStarter = /* @__PURE__ */ using(
  [flowFinder, batchRecords, batchBeginner, 'payloads:read', 'payloads:write'],
  (scope: Scope) => {
    const begin = batchBeginner(scope);
    const { selectExisting, selectOfType } = batchRecords(scope);

    /** @throws 400 */
    async function requireOfType(recordType: string) {
      const selected = await selectOfType(recordType);
      if (selected.records.length === 0) throw createNoRecordsError(recordType);
      return selected;
    }

    async function beginRepeatable(
      flow: Flow,
      batch: RepeatableBatch,
      owner: BatchOwner,
      begin: ReturnType<typeof batchBeginner>,
    ): Promise<Batch> {
      const { id, records: selected, surface, origin, options, alsoWrite } = batch;
      if (selected === null) {
        const fields = { ...options, id, origin, dispatched: await offloadSingleRun(scope, batch) };
        const extent = { recordType: null, totalRecords: 1 };
        return begin({
          owner,
          flow,
          records: [],
          extent,
          fields: { ...fields, ...(surface && { surface }) },
          alsoWrite,
        });
      }
      const records =
        'recordIds' in selected ? selectListed(selected.recordIds) : await selectOfType(selected.recordType);
      return begin({ owner, flow, ...records, fields: { ...options, id, origin } });
    }

    return {
      /** Creates a batch of the listed records. @throws 404 that lists the missing ones. */
      async startOnRecords(
        flowId: string,
        recordIds: readonly string[],
        options: BatchOptions,
        owner: Principal,
        labels: RunLabels = {},
      ): Promise<Batch> {
        const [flow, records] = await Promise.all([
          flowFinder(scope).find(flowId),
          selectExisting(recordIds),
        ]);
        return begin({
          owner,
          flow,
          ...records,
          fields: { ...options, origin: originOfCall(owner, labels) },
        });
      },

      async start(
        flowId: string,
        recordType: string,
        options: BatchOptions,
        owner: Principal,
        labels: RunLabels = {},
      ): Promise<StartedBatch> {
        const [flow, { records, extent }] = await Promise.all([
          flowFinder(scope).find(flowId),
          requireOfType(recordType),
        ]);
        const fields = { ...options, origin: originOfCall(owner, labels) };
        const batch = await begin({ owner, flow, records, extent, fields });
        return { batch, records, recordCount: batch.totalRecords };
      },

      /** Creates a batch of what is selected, with a version that is chosen. @throws 404, 400 if nothing is selected */
      async startSelected(
        flow: Flow,
        selected: SelectedRecords,
        { options, ...fields }: SelectedOptions,
        owner: Principal,
      ): Promise<Batch> {
        const records =
          'recordIds' in selected
            ? await selectExisting(selected.recordIds)
            : await requireOfType(selected.recordType);
        return begin({ owner, flow, ...records, fields: { ...options, ...fields } });
      },

      /** Creates a batch that runs records of another one again, with its version. @throws BatchRefused */
      startRetry(
        owner: BatchOwner,
        flow: Flow,
        recordIds: readonly string[],
        { alsoWrite, ...fields }: RetryOptions,
      ): Promise<Batch> {
        return begin({ owner, flow, ...selectListed(recordIds), fields, alsoWrite });
      },

      /** Creates the batch unless it exists. Of a type without records it is complete at once. @throws 404 without flow */
      async startOnce(flowId: string, batch: RepeatableBatch, owner: BatchOwner): Promise<Batch> {
        const ahead = [flowEntity.key({ id: flowId }), runningBatchesKey];
        const keys = [batchEntity.key({ id: batch.id }), ...ahead];
        const [existing, ...items] = await scope.table.getMany(keys, { consistent: true });
        if (existing) return decode(batchEntity, existing);
        const known = preloadItems(
          scope,
          ahead.map((key, at) => [key, items[at]]),
        );
        const flow = await flowFinder(known).find(flowId);
        try {
          return await beginRepeatable(flow, batch, owner, batchBeginner(known));
        } catch (error) {
          // Another process starts it at the same time.
          const other = await scope.table.get(batchEntity, { id: batch.id }, { consistent: true });
          if (other) return other;
          throw error;
        }
      },
    };
  },
);

async function offloadSingleRun(scope: Scope, { id, inputs = {}, messages }: RepeatableBatch) {
  const input = await offloadBatchInput(scope, id, { inputs, ...(messages && { messages }) });
  return { runId: toSingleRunId(id), recordId: null, input, appendsMetadata: false };
}

/** Of the run of a batch without records. */
export const toSingleRunId = (batchId: string) => deriveId('exec', getIdTimeMs(batchId), batchId);

export interface BatchOptions
  extends Pick<Batch, 'chunkSize' | 'timeoutMs' | 'modelOverride' | 'reuse' | 'priority'> {
  recordConcurrency: number;
  maxRetries: number;
}

/** Who a batch belongs to. The environment decides which version of the flow runs. */
export type BatchOwner = Pick<Principal, 'userId' | 'organizationId' | 'environment'>;

export const toBatchReuse = ({ reuse, reuseMaxAgeDays: maxAgeDays }: ReuseOptions): Pick<Batch, 'reuse'> =>
  reuse === 'unchanged' ? { reuse: maxAgeDays === undefined ? {} : { maxAgeDays } } : {};

/** What selects the records of a run. At most one of them is set. */
export interface RunRecordSelection {
  recordIds?: readonly string[] | null | undefined;
  recordType?: string | null | undefined;
  recordFilter?: ScheduleRecordFilter | null | undefined;
}

export type SelectedRecords = { recordIds: readonly string[] } | { recordType: string };

/** As many as a bulk operation takes. Their ids fit one item. */
const recordsMax = 10_000;

/** The records by their type if that says it all, else by their ids. Null if nothing selects any. */
export async function selectRecords(
  scope: Scope,
  { recordIds, recordType, recordFilter }: RunRecordSelection,
  timeLeftMs: () => number,
): Promise<SelectedRecords | null> {
  if (recordIds) return { recordIds };
  if (typeof recordType === 'string') return { recordType };
  if (!recordFilter) return null;
  if (!recordFilter.where) return { recordType: recordFilter.type };
  return { recordIds: await listMatchingIds(scope, recordFilter, timeLeftMs) };
}

async function listMatchingIds(scope: Scope, recordFilter: ScheduleRecordFilter, timeLeftMs: () => number) {
  const ids: string[] = [];
  for await (const page of targetPages(scope, { recordFilter }, { timeLeftMs })) {
    ids.push(...page.map(({ id }) => id));
    if (ids.length > recordsMax) {
      const message = `More than ${recordsMax} records match. Use a narrower filter, or a record type`;
      throw invalidAt('recordFilter', 'TOO_MANY_RECORDS', message);
    }
  }
  return ids;
}
