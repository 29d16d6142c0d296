/**
 * Continues a run of a flow that is suspended in front of a caller, or inside of an agent, as a batch of one.
 * The run has written its checkpoint, with the steps in which it waits. The batch, the row of the run and whatever the
 * caller adds are written in one transaction; then answers and a timer resume the run, and the sweep does if both are lost.
 */
import { log } from '../../core/log.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { OpenWait } from '../engine/engine.ts';
import type { RunVersion } from '../runs/run-versions.ts';
import { type Batch, type BatchInput, batchDefaults, offloadBatchInput } from './batch.ts';
import { batchStore } from './batch-store.ts';
import { resumeByAnswers } from './resume-by-answer.ts';
import { scheduleTimer } from './run-timer.ts';

export interface SuspendedRun extends Pick<Batch, 'surface' | 'origin' | 'unsafe' | 'startedAt' | 'ttl'> {
  runId: string;
  flow: { id: string; name: string };
  version: Pick<RunVersion, 'id' | 'subFlows'>;
  runsAs: Pick<Principal, 'userId' | 'organizationId'>;
  recordId: string | null;
  input: BatchInput;
  appendsMetadata: boolean;
}

/** @param alsoWrite In the transaction that stores the batch. @returns the id of the batch, by which clients follow and cancel it */
export async function continueSuspended(
  scope: Scope,
  { runId, flow, version, runsAs, recordId, input, appendsMetadata, ...run }: SuspendedRun,
  { waits, until }: { waits: readonly OpenWait[]; until: Date },
  alsoWrite: (batchId: string) => Write[],
): Promise<string> {
  const id = scope.newId('batch');
  const batch: Batch = {
    id,
    flowId: flow.id,
    flowName: flow.name,
    flowVersionId: version.id,
    ...(version.subFlows && { subFlows: version.subFlows }),
    userId: runsAs.userId,
    organizationId: runsAs.organizationId,
    recordType: null,
    ...run,
    dispatched: { runId, recordId, input: await offloadBatchInput(scope, id, input), appendsMetadata },
    recordConcurrency: 1,
    maxRetries: batchDefaults.maxRetries,
    totalRecords: 1,
    planned: true,
    stopped: null,
    stoppedAt: null,
    error: null,
  };
  await batchStore(scope).create(batch, { alsoWrite: alsoWrite(id) });
  const message = { tenant: scope.table.tenant, batchId: id, flowId: flow.id, recordId, runId, slot: 0 };
  await resumeByAnswers(scope, waits, message)
    .then((isAnswered) => scheduleTimer(scope, isAnswered ? scope.now() : until, message))
    .catch((error) =>
      log.error('A timer could not be set; the sweeper will resume the run', { error, batchId: id }),
    );
  return id;
}
