import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../../platform/data/scope.ts';
import { livePorts } from '../live-ports.ts';
import type { Checkpoint } from '../runs/checkpoint.ts';
import { attemptRun } from '../runs/run-attempt.ts';
import { checkpointsOf, redeliveredUntil, resultsOf } from '../runs/run-history.ts';
import { openRunLog, type RunLog } from '../runs/run-log.ts';
import { runVariables } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import type { Batch } from './batch.ts';
import type { RecordJob } from './record-jobs.ts';
import { type CommitEnd, endsTogether, type WithEnd } from './run-ends.ts';
import { wakeAt } from './wakes.ts';

/** Runs a batch's flow on one record, from where an earlier attempt ended. Each record is counted exactly once. */
export const runRecord = (
  scope: Scope,
  job: RecordJob,
  withEnd: WithEnd,
  signal: AbortSignal,
): Promise<void> => withEnd((commitEnd) => runJob(scope, job, commitEnd, signal));

async function runJob(
  scope: Scope,
  job: RecordJob,
  commitEnd: CommitEnd,
  signal: AbortSignal,
): Promise<void> {
  const { batch, record, flowDeleted } = job;
  if (!batch || batch.stopped) return;
  const earlier = await earlierCheckpoints(scope, job);
  const last = earlier.at(-1);
  if (last?.end) return;
  const log = logOf(scope, job, batch, commitEnd, earlier);
  if (flowDeleted) return log.finish('The flow was deleted');
  if (!record && job.message.recordId) return log.finish('The record was deleted');

  const { runId, recordId } = job.message;
  const run = {
    steps: (await runVersions(scope).get(batch.flowId, batch.flowVersionId)).steps,
    variables: runVariables({ ...batch, runId, record, ...job.input }),
    ports: livePorts(scope, { ...batch, runId }),
    done: await resultsOf(scope, earlier),
    waiting: last?.waiting,
    appendsTo: (batch.dispatched?.appendsMetadata && recordId) || undefined,
    signal,
    log,
  };
  const retries = new Map<string, number>();
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptRun({ ...run, retries, mayRetry: attempt < batch.maxRetries });
    if ('parked' in outcome) {
      // Its batch's messages were sent again since: the newer one waits in its place.
      const superseded = (job.message.sending ?? 0) < (batch.seen?.sendings ?? 0);
      return superseded ? undefined : wakeAt(scope, outcome.parked.until, job.message);
    }
    if ('end' in outcome) return;
    retries.set(outcome.retryFrom, (retries.get(outcome.retryFrom) ?? 0) + 1);
    await sleep(Math.random() * 1_000 * 2 ** attempt, undefined, { signal });
  }
}

/** Ends a record that was given up on, unless it has ended after all. */
export async function failRecord(scope: Scope, job: RecordJob, error: string): Promise<void> {
  if (!job.batch) return;
  const earlier = await earlierCheckpoints(scope, job);
  if (earlier.at(-1)?.end) return;
  const { batch } = job;
  await endsTogether(scope)((commitEnd) => logOf(scope, job, batch, commitEnd, earlier).finish(error));
}

const earlierCheckpoints = async (scope: Scope, { message, firstCheckpoint }: RecordJob) =>
  !firstCheckpoint || firstCheckpoint.end
    ? [firstCheckpoint].filter((each) => each !== undefined)
    : checkpointsOf(scope, message);

function logOf(
  scope: Scope,
  { message, record, flowDeleted }: RecordJob,
  { userId, organizationId, flowId, flowName, flowVersionId, ttl }: Batch,
  commitEnd: CommitEnd,
  earlier: readonly Checkpoint[],
): RunLog {
  const { batchId, recordId, runId, slot } = message;
  const { name: recordName = null, metadata: recordMetadata = {} } = record ?? {};
  const ids = { userId, organizationId, flowId, flowName, flowVersionId, batchId, runId, recordId };
  // What is written beside something deleted may come after its clean-up, and so has to go by itself.
  const isOrphan = flowDeleted || (recordId !== null && !record);
  const forgotten = isOrphan ? redeliveredUntil(scope) : ttl;
  const facts = { ...ids, recordName, recordMetadata, ...(forgotten !== undefined && { ttl: forgotten }) };
  return openRunLog(scope, facts, (ending) => commitEnd({ ...ending, batchId, slot }), { earlier });
}
