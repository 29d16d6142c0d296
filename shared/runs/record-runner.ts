import { setTimeout as sleep } from 'node:timers/promises';
import { runFlow, type StepResult } from '../flows/engine.ts';
import type { Variables } from '../flows/step.ts';
import { type LoadedVersion, versionStore } from '../flows/version-store.ts';
import type { RecordItem } from '../records/record.ts';
import type { Scope } from '../runtime.ts';
import { type Batch, recordRunEntity } from './batch.ts';
import type { RunMessage } from './batch-plan.ts';
import { livePorts } from './live-ports.ts';
import type { RecordJob } from './record-jobs.ts';
import { earlierResults } from './run-history.ts';
import { countRecord, openRunLog, type RunLog } from './run-log.ts';

/** Published and test versions never change, so a warm worker reads each once. */
const versions = new Map<string, Promise<LoadedVersion>>();
const versionsMax = 50;

/** Runs a batch's flow on one record, from where an earlier attempt ended. Each record is counted exactly once. */
export async function runRecord(scope: Scope, job: RecordJob, signal: AbortSignal): Promise<void> {
  const { message, batch, record, run, flowDeleted } = job;
  if (!batch || batch.stopped || (run && run.status !== 'running')) return;
  if (flowDeleted) return failRecord(scope, message, 'The flow was deleted');
  if (!record) return failRecord(scope, message, 'The record was deleted');

  const version = await versionOf(scope, batch);
  const runId = run?.runId ?? scope.newId('exec');
  const { userId, organizationId, flowId, flowVersionId } = batch;
  const facts = { userId, organizationId, flowId, flowVersionId, batchId: batch.id, slot: message.slot };
  const log = openRunLog(
    scope,
    { ...facts, runId, recordId: record.id, recordName: record.name, recordMetadata: record.metadata },
    run,
  );
  const done = run ? await earlierResults(scope, run) : new Map<string, StepResult>();
  const variables = builtIns(batch, record, runId, run?.startedAt ?? scope.now().toISOString());
  const ports = livePorts(scope, batch);
  for (let attempt = 0; ; attempt++) {
    const { retry } = await runOnce(
      { version, variables, done, ports, signal, log },
      batch.maxRetries - attempt,
      attempt,
    );
    if (!retry) return;
    await sleep(Math.random() * 1_000 * 2 ** attempt, undefined, { signal });
  }
}

interface RunOnce {
  version: LoadedVersion;
  variables: Variables;
  done: Map<string, StepResult>;
  ports: ReturnType<typeof livePorts>;
  signal: AbortSignal;
  log: RunLog;
}

/**
 * A step that reached outside is written down before the next one begins; what follows it without effects is
 * written together with the next one that has some, or with the end.
 */
async function runOnce({ version, log, done, ...world }: RunOnce, retriesLeft: number, attempt: number) {
  let failed: StepResult | undefined;
  let unwrittenEffects = false;
  const settle = async () => {
    if (failed) await log.add(failed);
    failed = undefined;
  };
  for await (const event of runFlow({ ...world, steps: version.steps, done })) {
    if (event.type === 'step_start') {
      await settle();
      if (unwrittenEffects) await log.flush();
      unwrittenEffects = false;
    } else if (event.type === 'step_end') {
      const { result } = event;
      if (result.status === 'failed') failed = { ...result, retryCount: result.retryCount + attempt };
      else {
        done.set(result.path, result);
        await log.add(result);
      }
      unwrittenEffects ||= event.effects;
    } else {
      // The failed step is left unwritten when it will be tried again.
      if (!event.success && event.retryable && retriesLeft > 0) return { retry: true };
      await settle();
      await log.finish(event.success ? null : (event.error ?? 'The run failed'));
    }
  }
  return { retry: false };
}

/** Ends a record that cannot run. Counted once: a run that is over stays as it is. */
export async function failRecord(scope: Scope, message: RunMessage, error: string): Promise<void> {
  const { table, now } = scope;
  const completedAt = now().toISOString();
  const set = { status: 'failed', completedAt, error };
  const setOnce = {
    recordId: message.recordId,
    recordName: null,
    runId: scope.newId('exec'),
    checkpoints: 0,
    startedAt: completedAt,
    stepCount: 0,
    promptCount: 0,
  };
  const open = {
    expression: 'attribute_not_exists(PK) OR #status = :running',
    values: { running: 'running' },
  };
  await table.commit([
    table.writes.update(recordRunEntity, message, { set, setOnce }, open),
    countRecord(scope, message, true, completedAt),
  ]);
}

function versionOf(scope: Scope, { flowId, flowVersionId }: Batch): Promise<LoadedVersion> {
  const known = versions.get(flowVersionId);
  if (known) return known;
  const loading = versionStore(scope).immutable(flowId, flowVersionId);
  loading.catch(() => versions.delete(flowVersionId));
  versions.set(flowVersionId, loading);
  const [oldest] = versions.keys();
  if (versions.size > versionsMax && oldest) versions.delete(oldest);
  return loading;
}

const builtIns = (batch: Batch, record: RecordItem, runId: string, timestamp: string): Variables => ({
  _record: { id: record.id, name: record.name, type: record.type, metadata: record.metadata },
  _flow: { id: batch.flowId, name: batch.flowName },
  _execution: { id: runId, timestamp },
  _user: { id: batch.userId },
  ...(record.messages && { messages: record.messages }),
});
