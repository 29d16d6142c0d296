/**
 * Runs records again in a new batch: those of an earlier batch that did not complete, or those whose flow or data
 * changed.
 * A chain is a first batch and its retries. Order of a retry: every batch of the chain has ended (409), the named
 * records belong to the first batch (400) and exist (404), those whose newest run completed are left out, and so are
 * those whose last step may have taken effect unless `unsafe` is set (422).
 * The new batch and the entry in the first batch's list of retries are one transaction, conditional on that list: of
 * two retries at once one is refused. With `continues`, runs take over the results of the chain's newest runs
 * (`runs/reused-results.ts`).
 * A recomputation (`recomputer`) has no chain: it starts a batch on selected records, which reuses what did not change.
 * Callers: `functions/batches/retry.ts`, `functions/flows/recompute.ts`.
 */
import {
  conflict,
  type ErrorDetail,
  invalid,
  invalidAt,
  notFound,
  ServiceError,
  unprocessable,
} from '../../core/errors/errors.ts';
import { flowFinder } from '../../domain/flows/flow-store.ts';
import { recordEntity } from '../../domain/records/record.ts';
import { recordStore } from '../../domain/records/record-store.ts';
import { originOfCall, originOfRecompute, type RunLabels } from '../../domain/runs/run-origin.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { checkpointEntity } from '../runs/checkpoint.ts';
import { listFlowCheckpoints } from '../runs/checkpoint-index.ts';
import { runVersions } from '../runs/run-versions.ts';
import { type Batch, batchEntity } from './batch.ts';
import { batchPlanner, toRecordRunId } from './batch-plan.ts';
import { BatchRefused, batchStore } from './batch-store.ts';
import { type BatchOptions, batchStarter, type RunRecordSelection, selectRecords } from './start-batch.ts';

/** The records whose last run did not complete, or these. */
type RetryRecords = 'failed' | readonly string[];

interface ToRetry {
  recordIds: string[];
  /** Named records that were not in the batch, by their place. */
  unknown: { id: string; index: number }[];
  /** Those whose last run failed in a step that may have taken effect. */
  outcomeUnknown: ReadonlySet<string>;
}

interface Ends {
  completed: Set<string>;
  outcomeUnknown: Set<string>;
}

/** How many results a request reads to find those that did not complete. */
const entriesMax = 300_000;
const recordsPerQuery = 1_000;

const readers = ['table:read', batchStore, batchPlanner, recordStore] as const;

const recordsToRetry = /* @__PURE__ */ using(readers, (scope: Scope) => {
  const { table } = scope;
  const planner = batchPlanner(scope);

  /** The records of the first batch, as far as they exist. */
  async function listFirstRecords(first: Batch): Promise<readonly string[]> {
    const { recordType, lastRecordId } = first;
    if (recordType === null) return batchStore(scope).recordIds(first);
    const ids: string[] = [];
    const until = lastRecordId === undefined ? {} : { until: lastRecordId };
    for (let after: string | null = null; ; after = ids.at(-1) ?? null) {
      const { records, isCut } = await planner.listRecordsOfType(recordType, {
        after,
        ...until,
        limit: recordsPerQuery,
      });
      for (const { id } of records) ids.push(id);
      if (!isCut) return ids;
    }
  }

  /** The records whose newest run in these batches completed, and those of which nobody knows what it did. */
  async function collectEnds([first, ...retries]: readonly [Batch, ...Batch[]]): Promise<Ends> {
    const ids = new Set([first, ...retries].map(({ id }) => id));
    const counted = new Set<string>();
    const ends: Ends = { completed: new Set(), outcomeUnknown: new Set() };
    let read = 0;
    const newestFirst = { newestFirst: true, from: first.startedAt, atFirst: recordsPerQuery };
    for await (const { batchId, recordId, finished } of listFlowCheckpoints(
      table,
      first.flowId,
      newestFirst,
    )) {
      if (++read > entriesMax) throw createTooManyError();
      if (!finished || !batchId || !ids.has(batchId) || counted.has(recordId)) continue;
      counted.add(recordId);
      if (finished.status === 'completed') ends.completed.add(recordId);
      if (finished.errorCode === 'OUTCOME_UNKNOWN') ends.outcomeUnknown.add(recordId);
    }
    return ends;
  }

  /** Whether they ran in the first batch, or would have. */
  async function checkMembership(first: Batch, recordIds: readonly string[]): Promise<boolean[]> {
    if (first.recordType === null) {
      const listed = new Set(await listFirstRecords(first));
      return recordIds.map((id) => listed.has(id));
    }
    const items = await table.getMany(
      recordIds.flatMap((recordId) => [
        recordEntity.key({ id: recordId }),
        checkpointEntity.key({ recordId, runId: toRecordRunId(first, recordId), index: 0 }),
      ]),
    );
    return recordIds.map((id, index) => {
      const [item, checkpoint] = items.slice(2 * index, 2 * index + 2);
      const isOfType = item && decode(recordEntity, item).type === first.recordType;
      return Boolean(checkpoint || (isOfType && id <= (first.lastRecordId ?? '')));
    });
  }

  return async (
    chain: readonly [Batch, ...Batch[]],
    records: RetryRecords,
    from: 'failed-step' | 'start',
  ): Promise<ToRetry> => {
    const named = records === 'failed' ? undefined : records;
    const isIn = named && (await checkMembership(chain[0], named));
    const unknown = (named ?? []).flatMap((id, index) => (isIn?.[index] ? [] : [{ id, index }]));
    if (unknown.length > 0) return { recordIds: [], unknown, outcomeUnknown: new Set() };
    const [all, { completed, outcomeUnknown }] = await Promise.all([
      named ?? listFirstRecords(chain[0]),
      collectEnds(chain),
    ]);
    const mayHaveCompleted = named && from === 'start';
    const open = mayHaveCompleted ? all : all.filter((id) => !completed.has(id));
    const deleted = new Set(await recordStore(scope).findMissing(open));
    if (named && deleted.size > 0) throw createDeletedRecordsError(named, deleted);
    return { recordIds: open.filter((id) => !deleted.has(id)), unknown, outcomeUnknown };
  };
});

const createDeletedRecordsError = (named: readonly string[], deleted: ReadonlySet<string>) =>
  notFound(
    'Record',
    named.flatMap((id, index) => {
      const message = `The record ${id} does not exist any more; leave it out`;
      return deleted.has(id) ? [{ path: `records.${index}`, code: 'NOT_FOUND' as const, message }] : [];
    }),
  );

const createTooManyError = () =>
  invalidAt(
    'records',
    'TOO_MANY_RESULTS',
    `The flow has more than ${entriesMax} results since the batch began; name the records`,
  );

interface RetryRequest {
  records: RetryRecords;
  from: 'failed-step' | 'start';
  /** Whether what may have taken effect is done again. */
  unsafe: boolean;
}

interface StartedRetry {
  batch: Batch;
  /** How many records were left out, because what they did last may have taken effect. */
  outcomeUnknown: number;
}

/** A first batch keeps the list of its retries. */
const retriesMax = 100;

/** Records that ran when their batch was cancelled still finish. A retry would run and pay for their steps as well. */
const finishingMs = 60_000;

const parts = [batchStore, batchStarter, recordsToRetry, flowFinder] as const;

export const batchRetrier = /* @__PURE__ */ using(parts, (scope: Scope) => {
  const { table } = scope;
  const batches = batchStore(scope);

  /** The first batch and its retries, oldest first. @throws 409 while one of them runs. */
  async function loadChain(batch: Batch): Promise<[Batch, ...Batch[]]> {
    const first = batch.firstBatchId ? await batches.get(batch.firstBatchId) : batch;
    const retries = await Promise.all((first.retries ?? []).map((id) => batches.get(id)));
    const chain = [first, ...retries] as const;
    const states = await Promise.all(chain.map((each) => batches.settleBatch(each)));
    const open = states.findIndex(({ status }) => status === 'scheduled' || status === 'running');
    if (open >= 0)
      throw conflict(`The batch ${chain[open]?.id} still runs; wait until it has ended, or cancel it`);
    for (const each of chain) assertQuiet(each);
    if (retries.length >= retriesMax) throw conflict(`A batch has at most ${retriesMax} retries`);
    return [...chain];
  }

  function assertQuiet({ id, stopped, stoppedAt }: Batch): void {
    if (stopped !== 'cancelled' || stoppedAt === null) return;
    const leftMs = Date.parse(stoppedAt) + finishingMs - scope.now().getTime();
    if (leftMs > 0) throw createStillFinishingError(id, Math.ceil(leftMs / 1_000));
  }

  /** Refused if another retry of the first batch has started since it was read. */
  const toRetryWrite = ({ id, retries = [] }: Batch, retryId: string): Write =>
    table.writes.update(
      batchEntity,
      { id },
      { set: { retries: [...retries, retryId] } },
      retries.length > 0
        ? { expression: '#retries = :before', values: { before: retries } }
        : { expression: 'attribute_exists(PK) AND attribute_not_exists(#retries)' },
    );

  /** @throws 404, 409 while a batch of the chain runs, 422 if there is nothing to retry, 400 for records that were not in it. */
  return async (
    id: string,
    { records, from, unsafe }: RetryRequest,
    principal: Principal,
  ): Promise<StartedRetry> => {
    const batch = await batches.get(id);
    if (batch.dispatched) throw unprocessable(notOfRecords);
    const chain = await loadChain(batch);
    const [first] = chain;
    const flow = await flowFinder(scope).find(first.flowId);
    const { recordIds: open, unknown, outcomeUnknown } = await recordsToRetry(scope)(chain, records, from);
    if (unknown.length > 0) throw invalid(unknown.map(toNotInBatchDetail));
    if (open.length === 0) throw unprocessable(nothingToRetry);
    const recordIds = unsafe ? open : open.filter((recordId) => !outcomeUnknown.has(recordId));
    const leftOut = open.length - recordIds.length;
    if (leftOut > 0 && (records !== 'failed' || recordIds.length === 0))
      throw unprocessable(mayBeDone(leftOut));
    const { flowVersionId, subFlows, maxRetries, recordConcurrency, chunkSize, timeoutMs } = first;
    const { modelOverride, reuse, priority } = first;
    const retryId = scope.newId('batch');
    const options = { maxRetries, recordConcurrency, chunkSize, timeoutMs, modelOverride, reuse, priority };
    const { tags, sessionId } = first.origin ?? {};
    const started = await batchStarter(scope)
      .startRetry(principal, flow, recordIds, {
        ...options,
        id: retryId,
        flowVersionId,
        ...(subFlows && { subFlows }),
        origin: originOfCall(principal, { tags, sessionId }),
        retryOf: id,
        firstBatchId: first.id,
        ...(unsafe && { unsafe }),
        ...(from === 'failed-step' && { continues: chain.map((each) => each.id) }),
        alsoWrite: [toRetryWrite(first, retryId)],
      })
      .catch((error) => {
        if (!(error instanceof BatchRefused)) throw error;
        throw conflict('Another retry of the batch has started; wait until it has ended');
      });
    return { batch: started, outcomeUnknown: leftOut };
  };
});

function createStillFinishingError(id: string, retryAfterSeconds: number): ServiceError {
  const message = `The batch ${id} was just cancelled, and records that ran then may still finish; try again in ${retryAfterSeconds} s`;
  return new ServiceError('CONFLICT', message, {
    details: [{ code: 'CONFLICT', message }],
    retryAfterSeconds,
  });
}

const notOfRecords: ErrorDetail = {
  path: 'id',
  code: 'INVALID_VALUE',
  message: 'The batch is a run without records; run the flow again',
};

const nothingToRetry: ErrorDetail = {
  path: 'records',
  code: 'NO_RECORDS',
  message: 'The last run of each of these records completed, so there is nothing to retry',
};

const mayBeDone = (count: number): ErrorDetail => ({
  path: 'unsafe',
  code: 'OUTCOME_UNKNOWN',
  message: `${count === 1 ? 'One record has' : `${count} records have`} failed in a step that may have taken effect: look there first. With "unsafe": true it is done again, with the same Idempotency-Key`,
});

const toNotInBatchDetail = ({ id, index }: { id: string; index: number }): ErrorDetail => ({
  path: `records.${index}`,
  code: 'NOT_FOUND',
  message: `The record ${id} was not in the batch`,
});

export interface RecomputeRequest {
  flowId: string;
  /** `published`, `draft`, or the id of a version. */
  version: string;
  records: RunRecordSelection;
  options: BatchOptions;
  labels: RunLabels;
}

/** Runs a version of a flow on records again, where something changed. */
export const recomputer = /* @__PURE__ */ using([batchStarter, runVersions, flowFinder], (scope: Scope) => {
  /** @throws 404, 400 without records, 409 without such a version */
  return async (
    { flowId, version, records, options, labels }: RecomputeRequest,
    principal: Principal,
    timeLeftMs: () => number,
  ): Promise<Batch> => {
    const flow = await flowFinder(scope).find(flowId);
    const [{ id: flowVersionId }, selected] = await Promise.all([
      runVersions(scope).resolve(flow, principal.environment, version),
      selectRecords(scope, records, timeLeftMs),
    ]);
    if (!selected || ('recordIds' in selected && selected.recordIds.length === 0))
      throw createNothingSelectedError();
    const selection = { options, flowVersionId };
    return batchStarter(scope).startSelected(
      flow,
      selected,
      { ...selection, origin: originOfRecompute(principal, labels) },
      principal,
    );
  };
});

export const createNothingSelectedError = () =>
  invalidAt('recordFilter', 'NO_RECORDS', 'No record matches the filter');
