import type { Principal } from '../auth/principal.ts';
import { type BatchInput, stowBatchInput } from '../batches/batch-input.ts';
import { batchDefaults } from '../batches/batch-start.ts';
import { batchStore } from '../batches/batch-store.ts';
import { wakeAt } from '../batches/wakes.ts';
import { runVersions } from '../flows/run-versions.ts';
import type { Scope } from '../runtime.ts';
import { forgottenAt } from './log.ts';
import type { Prepared } from './prepare.ts';

interface ParkedRun {
  prepared: Prepared;
  principal: Principal;
  executionId: string;
  startedAt: string;
  input: BatchInput;
}

/** Has a parked run go on by itself, as a batch of one that can be followed and cancelled. @returns the batch's id. */
export async function goOnAsBatch(
  scope: Scope,
  { prepared, principal, executionId: runId, startedAt, input }: ParkedRun,
  until: Date,
): Promise<string> {
  const { flow, version, record, keeps } = prepared;
  const id = scope.newId('batch');
  const recordId = record?.id ?? null;
  const ttl = keeps ? undefined : forgottenAt(scope);
  const { tenant } = scope.table;
  await runVersions(scope).keep(version, ttl);
  const given = { ...input, ...(record && !recordId && { record }) };
  await batchStore(scope).create({
    id,
    flowId: flow.id,
    flowName: flow.name,
    flowVersionId: version.id,
    userId: principal.userId,
    organizationId: principal.organizationId,
    recordType: null,
    dispatched: { runId, recordId, input: await stowBatchInput(scope, id, given) },
    recordConcurrency: 1,
    maxRetries: batchDefaults.maxRetries,
    totalRecords: 1,
    planned: true,
    stopped: null,
    stoppedAt: null,
    error: null,
    startedAt,
    ...(ttl !== undefined && { ttl }),
  });
  await wakeAt(scope, until, { tenant, batchId: id, flowId: flow.id, recordId, runId, slot: 0 });
  return id;
}
