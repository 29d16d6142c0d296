import { type ErrorDetail, invalidAt, notFound } from '../../core/errors/errors.ts';
import { derivedId, timeOf } from '../../core/ids.ts';
import { measure } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { startedIn } from '../../core/tracing/active-span.ts';
import type { Variables } from '../../core/variables/variables.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { Flow } from '../../domain/flows/flow.ts';
import { flowStore } from '../../domain/flows/flow-store.ts';
import { recordsRange } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { listRun } from '../../domain/runs/run-list.ts';
import { originOfCall, type RunLabels, type RunOrigin } from '../../domain/runs/run-origin.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { startGate } from '../budgets/start-gate.ts';
import { runVersions } from '../runs/run-versions.ts';
import { type Batch, batchEntity, smallBatchMax } from './batch.ts';
import { offloadBatchInput } from './batch-input.ts';
import { batchPlanner, type ListedRecord } from './batch-plan.ts';
import { runOfBatch } from './batch-run.ts';
import { batchStore } from './batch-store.ts';
import type { SelectedRecords } from './record-selection.ts';
import { slotDivider, startWithinShare } from './running-batches.ts';

/** The response lists the first thousand records: it must fit 6 MB. */
const listedMax = 1_000;
/** How many missing records a 404 response lists. */
const missingListedMax = 10;
export const batchDefaults = { recordConcurrency: 10, maxRetries: 2 };

export interface BatchOptions
  extends Pick<Batch, 'chunkSize' | 'timeoutMs' | 'modelOverride' | 'reuse' | 'priority'> {
  recordConcurrency: number;
  maxRetries: number;
}

/** Who a batch belongs to. The environment decides which version of the flow runs. */
export type BatchOwner = Pick<Principal, 'userId' | 'organizationId' | 'environment'>;

export interface RepeatableBatch {
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

type Repeatable = { id?: string; flowVersionId?: string } & Pick<
  Batch,
  'subFlows' | 'dispatched' | 'surface' | 'origin' | 'retryOf' | 'firstBatchId' | 'continues'
>;

interface RetryOptions
  extends BatchOptions,
    Required<Pick<Batch, 'id' | 'flowVersionId' | 'retryOf' | 'firstBatchId'>>,
    Pick<Batch, 'subFlows' | 'origin' | 'continues'> {
  /** Refused, it throws `BatchRefused`. */
  alsoWrite: readonly Write[];
}

type SelectedOptions = { options: BatchOptions } & Required<Pick<Batch, 'flowVersionId' | 'origin'>>;

export interface StartedBatch {
  batch: Batch;
  records: ListedRecord[];
  recordCount: number;
}

export const batchStarter = /* @__PURE__ */ using(
  [flowStore, batchPlanner, startGate, slotDivider, 'payloads'],
  (scope: Scope) => {
    const { table, now, newId } = scope;
    const batches = batchStore(scope);
    const planner = batchPlanner(scope);

    /** Plans small batches directly and leaves large ones to a worker. */
    async function begin(
      principal: BatchOwner,
      flow: Flow,
      records: readonly { id: string }[],
      given: Pick<Batch, 'recordType' | 'totalRecords' | 'lastRecordId'> & BatchOptions & Repeatable,
      refusable: readonly Write[] = [],
    ): Promise<Batch> {
      const versions = runVersions(scope);
      const {
        id: flowVersionId,
        steps,
        subFlows,
      } = await (given.flowVersionId === undefined
        ? versions.of(flow, principal.environment)
        : given.subFlows === undefined
          ? versions.get(flow.id, given.flowVersionId)
          : versions.started(flow.id, given.flowVersionId, given.subFlows));
      await startGate(scope).flow(flow.id, steps, given);
      const small = given.totalRecords <= smallBatchMax;
      const isListed = given.recordType === null && !given.dispatched;
      const recordIds = isListed ? records.map(({ id }) => id) : undefined;
      const batch: Batch = {
        id: newId('batch'),
        flowId: flow.id,
        flowName: flow.name,
        userId: principal.userId,
        organizationId: principal.organizationId,
        ...given,
        flowVersionId,
        ...(subFlows && { subFlows }),
        planned: small,
        stopped: null,
        stoppedAt: null,
        error: null,
        startedAt: now().toISOString(),
        ...startedIn(),
        ...(small && recordIds && { recordIds }),
      };
      const slots = Math.min(given.recordConcurrency, given.totalRecords);
      await startWithinShare(scope, { ...batch, slots }, (share, alsoWrite) => {
        batch.slotShare = share;
        batch.claimedSlots =
          share === undefined ? undefined : Array.from({ length: share }, (_, slot) => slot);
        return batches.create(batch, { ...(!small && recordIds && { recordIds }), alsoWrite, refusable });
      });
      measure('BatchesStarted');
      const sending = send(batch, records, small);
      // The batch exists and will run. An error here would make the caller start it again.
      const logError = (what: string) => (error: unknown) => log.error(what, { error, batchId: batch.id });
      await Promise.all([
        listRun(scope, runOfBatch(batch)),
        sending.catch(logError('The messages of a batch could not be sent; the sweeper will send them')),
        flowStore(scope).markRun(flow).catch(logError('The last run of a flow could not be recorded')),
      ]);
      if (batch.totalRecords === 0) await batches.settle(batch.id);
      return batch;
    }

    function send(batch: Batch, records: readonly { id: string }[], small: boolean): Promise<void> {
      if (batch.dispatched) return planner.resend(batch, 0);
      if (small) return planner.enqueue(batch, records, 0);
      return planner.enqueuePlan({ tenant: table.tenant, batchId: batch.id, after: null, n: 0 });
    }

    /** The id of the newest record in a range, independent of the clock. */
    async function newestIn(range: ReturnType<typeof recordsRange>): Promise<string> {
      const { items } = await table.query({ ...range, newestFirst: true, limit: 1 });
      return items[0]?.SK2 as string;
    }

    return {
      /** Creates a batch of the listed records. @throws 404 that lists the missing ones. */
      async startOnRecords(
        flowId: string,
        recordIds: readonly string[],
        options: BatchOptions,
        principal: Principal,
        labels: RunLabels = {},
      ): Promise<Batch> {
        const [flow, [records, given]] = await Promise.all([
          flowStore(scope).find(flowId),
          existing(recordIds, options),
        ]);
        return begin(principal, flow, records, { ...given, origin: originOfCall(principal, labels) });
      },

      async start(
        flowId: string,
        recordType: string,
        options: BatchOptions,
        principal: Principal,
        labels: RunLabels = {},
      ): Promise<StartedBatch> {
        const [flow, records] = await Promise.all([
          flowStore(scope).find(flowId),
          planner.recordsOf(recordType, { limit: listedMax }),
        ]);
        if (records.length === 0) throw noRecordOf(recordType);
        const origin = originOfCall(principal, labels);
        const given = { ...options, ...(await extentOf(recordType, records)), origin };
        const batch = await begin(principal, flow, records, given);
        return { batch, records, recordCount: batch.totalRecords };
      },

      /** Creates a batch of what is selected, with a version that is chosen. @throws 404, 400 if nothing is selected */
      async startSelected(
        flow: Flow,
        selected: SelectedRecords,
        { options, ...given }: SelectedOptions,
        principal: Principal,
      ): Promise<Batch> {
        if ('recordIds' in selected) {
          const [records, extent] = await existing(selected.recordIds, options);
          return begin(principal, flow, records, { ...given, ...extent });
        }
        const { recordType } = selected;
        const records = await planner.recordsOf(recordType, { limit: listedMax });
        if (records.length === 0) throw noRecordOf(recordType);
        const extent = await extentOf(recordType, records);
        return begin(principal, flow, records, { ...options, ...given, ...extent });
      },

      /** Creates a batch that runs records of another one again, with its version. @throws BatchRefused */
      startRetry(
        owner: BatchOwner,
        flow: Flow,
        recordIds: readonly string[],
        { alsoWrite, ...given }: RetryOptions,
      ): Promise<Batch> {
        const [records, extent] = listed(recordIds, given);
        return begin(owner, flow, records, { ...given, ...extent }, alsoWrite);
      },

      /** Creates the batch unless it exists. Of a type without records it is complete at once. @throws 404 without flow */
      async startOnce(flowId: string, batch: RepeatableBatch, owner: BatchOwner): Promise<Batch> {
        const { id, records: selected, surface, origin, options } = batch;
        const current = () => table.get(batchEntity, { id }, { consistent: true });
        const existing = await current();
        if (existing) return existing;
        const flow = await flowStore(scope).find(flowId);
        try {
          if (selected === null) {
            const given = await singleRun(batch);
            return await begin(
              owner,
              flow,
              [],
              { ...given, origin, ...(surface && { surface }) },
              batch.alsoWrite,
            );
          }
          if ('recordIds' in selected) {
            const [records, given] = listed(selected.recordIds, options);
            return await begin(owner, flow, records, { ...given, id, origin });
          }
          const { recordType } = selected;
          const records = await planner.recordsOf(recordType, { limit: listedMax });
          const extent = await extentOf(recordType, records);
          return await begin(owner, flow, records, { ...options, ...extent, id, origin });
        } catch (error) {
          // Another process starts it at the same time.
          const other = await current();
          if (other) return other;
          throw error;
        }
      },
    };

    /** @throws 404 that lists the missing ones. */
    async function existing(recordIds: readonly string[], options: BatchOptions) {
      const missing = await recordStore(scope).missing(recordIds);
      if (missing.length > 0) throw missingRecords(recordIds, missing);
      return listed(recordIds, options);
    }

    /** How many records of a type there are, given the first of them, and which is the newest. */
    async function extentOf(recordType: string, records: readonly ListedRecord[]) {
      const range = recordsRange(recordType);
      const [totalRecords, lastRecordId] =
        records.length < listedMax
          ? [records.length, records.at(-1)?.id ?? '']
          : await Promise.all([table.count(range), newestIn(range)]);
      return { recordType, totalRecords, ...(lastRecordId && { lastRecordId }) };
    }

    async function singleRun({ id, inputs = {}, messages, options }: RepeatableBatch) {
      const input = await offloadBatchInput(scope, id, { inputs, ...(messages && { messages }) });
      const dispatched = { runId: singleRunId(id), recordId: null, input, appendsMetadata: false };
      return { ...options, id, recordType: null, totalRecords: 1, dispatched };
    }
  },
);

export const singleRunId = (batchId: string) => derivedId('exec', timeOf(batchId), batchId);

const listed = (recordIds: readonly string[], options: BatchOptions) =>
  [
    recordIds.map((id) => ({ id })),
    { ...options, recordType: null, totalRecords: recordIds.length },
  ] as const;

export const missingRecords = (recordIds: readonly string[], missing: readonly string[]) =>
  notFound('Record', missing.slice(0, missingListedMax).map(missingAt(recordIds)));

export const noRecordOf = (recordType: string) =>
  invalidAt('recordType', 'NO_RECORDS', `No record has the type "${recordType}"`);

const missingAt =
  (recordIds: readonly string[]) =>
  (id: string): ErrorDetail => ({
    path: `recordIds.${recordIds.indexOf(id)}`,
    code: 'NOT_FOUND',
    message: `Record ${id} does not exist`,
  });
