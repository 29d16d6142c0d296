import { setTimeout as sleep } from 'node:timers/promises';
import { runFlow, type StepResult } from '../flows/engine.ts';
import type { Variables } from '../flows/step.ts';
import { type LoadedVersion, versionStore } from '../flows/version-store.ts';
import type { RecordItem } from '../records/record.ts';
import type { Scope } from '../runtime.ts';
import type { Batch } from './batch.ts';
import { livePorts } from './live-ports.ts';
import type { RecordJob } from './record-jobs.ts';
import { type CommitEnd, endCommitter } from './run-ends.ts';
import { checkpointsOf, resultsOf } from './run-history.ts';
import { openRunLog, type RunLog } from './run-log.ts';

/** Published and test versions never change, so a warm worker reads each once. */
const versions = new Map<string, Promise<LoadedVersion>>();
const versionsMax = 50;

/** Runs a batch's flow on one record, from where an earlier attempt ended. Each record is counted exactly once. */
export async function runRecord(
  scope: Scope,
  job: RecordJob,
  commitEnd: CommitEnd,
  signal: AbortSignal,
): Promise<void> {
  const { batch, record, flowDeleted } = job;
  if (!batch || batch.stopped) return;
  const earlier = await earlierCheckpoints(scope, job);
  if (earlier.at(-1)?.end) return;
  const log = openRunLog(scope, factsOf(job, batch), commitEnd, earlier.length);
  if (flowDeleted) return log.finish('The flow was deleted');
  if (!record) return log.finish('The record was deleted');

  const version = await versionOf(scope, batch);
  const done = await resultsOf(scope, earlier);
  const variables = builtIns(batch, record, job.message.runId);
  const ports = livePorts(scope, batch);
  const retries = new Map<string, number>();
  for (let attempt = 0; ; attempt++) {
    const mayRetry = attempt < batch.maxRetries;
    const again = await runOnce({ version, variables, done, ports, signal, log, retries }, mayRetry);
    if (again === undefined) return;
    retries.set(again, (retries.get(again) ?? 0) + 1);
    await sleep(Math.random() * 1_000 * 2 ** attempt, undefined, { signal });
  }
}

/** Ends a record that was given up on, unless it has ended after all. */
export async function failRecord(scope: Scope, job: RecordJob, error: string): Promise<void> {
  if (!job.batch) return;
  const earlier = await earlierCheckpoints(scope, job);
  if (earlier.at(-1)?.end) return;
  await openRunLog(scope, factsOf(job, job.batch), endCommitter(scope), earlier.length).finish(error);
}

const earlierCheckpoints = async (scope: Scope, { message, firstCheckpoint }: RecordJob) =>
  !firstCheckpoint || firstCheckpoint.end
    ? [firstCheckpoint].filter((each) => each !== undefined)
    : checkpointsOf(scope, message);

const factsOf = (
  { message, record }: RecordJob,
  { userId, organizationId, flowId, flowVersionId }: Batch,
) => {
  const { batchId, recordId, runId, slot } = message;
  const { name: recordName = '', metadata: recordMetadata = {} } = record ?? {};
  return {
    userId,
    organizationId,
    flowId,
    flowVersionId,
    batchId,
    slot,
    runId,
    recordId,
    recordName,
    recordMetadata,
  };
};

interface RunOnce {
  version: LoadedVersion;
  variables: Variables;
  done: Map<string, StepResult>;
  ports: ReturnType<typeof livePorts>;
  signal: AbortSignal;
  log: RunLog;
  /** How often each step was tried again, by its path. */
  retries: ReadonlyMap<string, number>;
}

/**
 * A step that reached outside is written down before the next one begins; what follows it without effects is
 * written together with the next one that has some, or with the end.
 * @returns the path of the step that failed, when the run should be tried again from there.
 */
async function runOnce(
  { version, log, done, retries, ...world }: RunOnce,
  mayRetry: boolean,
): Promise<string | undefined> {
  let failed: StepResult | undefined;
  let unwrittenEffects = false;
  const write = async (result: StepResult | undefined) => {
    if (!result) return;
    done.set(result.path, result);
    await log.add(result);
  };
  for await (const event of runFlow({ ...world, steps: version.steps, done })) {
    if (event.type === 'step_start') {
      await write(failed);
      failed = undefined;
      if (unwrittenEffects) await log.flush();
      unwrittenEffects = false;
    } else if (event.type === 'step_end') {
      const retryCount = event.result.retryCount + (retries.get(event.result.path) ?? 0);
      const result = { ...event.result, retryCount };
      // Whether a failed step is written shows with what comes next: one that ends the run may be tried again.
      if (result.status === 'failed') failed = result;
      else await write(result);
      unwrittenEffects ||= event.effects;
    } else {
      if (failed && event.retryable && mayRetry && !event.success) return failed.path;
      await write(failed);
      await log.finish(event.success ? null : (event.error ?? 'The run failed'));
    }
  }
  return undefined;
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

const builtIns = (batch: Batch, record: RecordItem, runId: string): Variables => ({
  _record: { id: record.id, name: record.name, type: record.type, metadata: record.metadata },
  _flow: { id: batch.flowId, name: batch.flowName },
  _execution: { id: runId, timestamp: batch.startedAt },
  _user: { id: batch.userId },
  ...(record.messages && { messages: record.messages }),
});
