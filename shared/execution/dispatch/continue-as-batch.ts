import { log } from '../../core/log.ts';
import { statusWrite } from '../../domain/runs/run-list.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Batch, offloadBatchInput } from '../batches/batch.ts';
import { batchStore } from '../batches/batch-store.ts';
import { resumeByAnswers } from '../batches/messages/resume-by-answer.ts';
import { scheduleTimer } from '../batches/messages/run-message.ts';
import { batchDefaults } from '../batches/starting/start-batch.ts';
import type { OpenWait } from '../engine/engine.ts';
import { closeExecution } from '../runs/execution.ts';
import { runVersions } from '../runs/run-versions.ts';
import { suspendedRunExpiresAt } from './dispatch-recorder.ts';
import type { RunningDispatch } from './execute-flow-run.ts';

/** Continues a suspended run as a batch of one, which clients can follow and cancel. @returns the batch's id. */
export async function continueAsBatch(
  scope: Scope,
  { prepared, runsAs, body, execution }: RunningDispatch,
  { waits, until }: { waits: readonly OpenWait[]; until: Date },
): Promise<string> {
  const { id: runId, startedAt, surface, origin } = execution;
  const { flow, version, record, persistResults } = prepared;
  const id = scope.newId('batch');
  const recordId = record?.id ?? null;
  const ttl = persistResults ? undefined : suspendedRunExpiresAt(scope);
  const { tenant } = scope.table;
  await runVersions(scope).keep(version, ttl);
  const { inputs, messages, options } = body;
  const given = { inputs, messages, ...(record && !recordId && { record }) };
  const input = await offloadBatchInput(scope, id, given);
  const batch: Batch = {
    id,
    flowId: flow.id,
    flowName: flow.name,
    flowVersionId: version.id,
    ...(version.subFlows && { subFlows: version.subFlows }),
    userId: runsAs.userId,
    organizationId: runsAs.organizationId,
    recordType: null,
    ...(surface && { surface }),
    ...(origin && { origin }),
    dispatched: { runId, recordId, input, appendsMetadata: options.autoAppendMetadata },
    recordConcurrency: 1,
    maxRetries: batchDefaults.maxRetries,
    totalRecords: 1,
    planned: true,
    stopped: null,
    stoppedAt: null,
    error: null,
    startedAt,
    ...(ttl !== undefined && { ttl }),
  };
  // From here on the sweeper watches the batch instead of the execution.
  await batchStore(scope).create(batch, {
    alsoWrite: [closeExecution(scope.table, runId), statusWrite(scope, execution, 'paused', { batchId: id })],
  });
  const message = { tenant, batchId: id, flowId: flow.id, recordId, runId, slot: 0 };
  await resumeByAnswers(scope, waits, message)
    .then((isAnswered) => scheduleTimer(scope, isAnswered ? scope.now() : until, message))
    .catch((error) =>
      log.error('A timer could not be set; the sweeper will resume the run', { error, batchId: id }),
    );
  return id;
}
