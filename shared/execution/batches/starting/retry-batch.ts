import {
  conflict,
  type ErrorDetail,
  invalid,
  ServiceError,
  unprocessable,
} from '../../../core/errors/errors.ts';
import { flowFinder } from '../../../domain/flows/flow-store.ts';
import { originOfCall } from '../../../domain/runs/run-origin.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Write } from '../../../platform/data/writes.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { type Batch, batchEntity } from '../batch.ts';
import { BatchRefused, batchStore } from '../batch-store.ts';
import { type RetryRecords, recordsToRetry } from './records-to-retry.ts';
import { batchStarter } from './start-batch.ts';

export interface RetryRequest {
  records: RetryRecords;
  from: 'failed-step' | 'start';
  /** Whether what may have taken effect is done again. */
  unsafe: boolean;
}

export interface StartedRetry {
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
  async function chainOf(batch: Batch): Promise<[Batch, ...Batch[]]> {
    const first = batch.firstBatchId ? await batches.get(batch.firstBatchId) : batch;
    const retries = await Promise.all((first.retries ?? []).map((id) => batches.get(id)));
    const chain = [first, ...retries] as const;
    const states = await Promise.all(chain.map((each) => batches.settled(each)));
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
    if (leftMs > 0) throw stillFinishing(id, Math.ceil(leftMs / 1_000));
  }

  /** Refused if another retry of the first batch has started since it was read. */
  const listedRetry = ({ id, retries = [] }: Batch, retryId: string): Write =>
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
    const chain = await chainOf(batch);
    const [first] = chain;
    const flow = await flowFinder(scope).find(first.flowId);
    const { recordIds: open, unknown, outcomeUnknown } = await recordsToRetry(scope)(chain, records, from);
    if (unknown.length > 0) throw invalid(unknown.map(notInBatch));
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
        alsoWrite: [listedRetry(first, retryId)],
      })
      .catch((error) => {
        if (!(error instanceof BatchRefused)) throw error;
        throw conflict('Another retry of the batch has started; wait until it has ended');
      });
    return { batch: started, outcomeUnknown: leftOut };
  };
});

function stillFinishing(id: string, retryAfterSeconds: number): ServiceError {
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

const notInBatch = ({ id, index }: { id: string; index: number }): ErrorDetail => ({
  path: `records.${index}`,
  code: 'NOT_FOUND',
  message: `The record ${id} was not in the batch`,
});
