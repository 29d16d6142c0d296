import { setTimeout as sleep } from 'node:timers/promises';
import { anySignal } from '../../../core/concurrency/abort.ts';
import type { TracedRun } from '../../../core/tracing/active-span.ts';
import { tracedRun } from '../../../core/tracing/trace-context.ts';
import { runCancelled, statusWrite } from '../../../domain/runs/run-list.ts';
import { ifRefused } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { paidBy } from '../../budgets/payers.ts';
import type { EngineRunEvent, StepWait } from '../../engine/engine.ts';
import { livePorts } from '../../live-ports.ts';
import { cancellation } from '../../runs/cancellation.ts';
import { type Checkpoint, checkpointWaits, isSameWait } from '../../runs/checkpoints/checkpoint.ts';
import { readKept, readStepResults } from '../../runs/checkpoints/read-checkpoints.ts';
import { type SealedValues, sealedValues } from '../../runs/checkpoints/sealed-values.ts';
import { attemptRun, type Retried } from '../../runs/run-attempt.ts';
import { runVariables } from '../../runs/run-variables.ts';
import { runVersions } from '../../runs/run-versions.ts';
import { earlierResults } from '../../runs/step-results/reused-results.ts';
import { resultAttempts } from '../../step-support/attempts.ts';
import type { Batch } from '../batch.ts';
import { listingOfBatch } from '../batch-run.ts';
import { resumeByAnswers } from '../messages/resume-by-answer.ts';
import { scheduleTimer } from '../messages/timers.ts';
import { batchRecorder, earlierCheckpoints, settleAfter } from './batch-recorder.ts';
import { endCancelledRun } from './cancelled-runs.ts';
import type { Ran, RunCommits, WithCommits } from './group-commit.ts';
import { isOfTask, pauseTask } from './pause-task.ts';
import type { RecordJob } from './record-jobs.ts';

/** What a wait of 30 days needs that polls every ten seconds, with a margin. Ends a chain of timers without end. */
const pollsMax = 300_000;

/**
 * Runs a batch's flow on one record and resumes from an earlier attempt. Counts each record exactly once, when its end is
 * `stored`.
 */
export const runRecord = (
  scope: Scope,
  job: RecordJob,
  withCommits: WithCommits,
  signal: AbortSignal,
): Promise<Ran> => withCommits((commits) => runJob(scope, job, commits, signal));

/** A run by itself has its own trace; those of records have that of their batch. */
const traceOfRecord = ({ id, dispatched, startedIn }: Batch, runId: string, first?: Checkpoint): TracedRun =>
  dispatched ? tracedRun(runId, first?.startedIn ?? startedIn) : tracedRun(runId, startedIn, id);

async function runJob(scope: Scope, job: RecordJob, commits: RunCommits, signal: AbortSignal): Promise<void> {
  const { batch, record, flowDeleted } = job;
  if (!batch) return;
  if (batch.stopped) return endCancelledRun(scope, job, commits);
  const checkpoints = await earlierCheckpoints(scope, job);
  const last = checkpoints.at(-1);
  if (last?.end) return settleAfter(scope, job.message);
  // Who cancels a run by itself expects it to stop; records of a batch that run now still finish.
  using cancelled = batch.dispatched ? cancellation(scope, { id: job.message.runId }) : undefined;
  const isCancelled = () => cancelled?.signal.aborted ?? false;
  const sealed = sealedValues(scope);
  const earlier = await earlierOf(scope, job, batch, sealed);
  const identity = earlier?.continued?.identity ?? job.message.runId;
  const recording = { commits, earlier: checkpoints, identity, sealed, isCancelled };
  const recorder = batchRecorder(scope, job, batch, recording);
  if (flowDeleted) return recorder.finish('The flow was deleted');
  if (!record && job.message.recordId) return recorder.finish('The record was deleted');

  const { runId, recordId } = job.message;
  const limit = batch.timeoutMs === undefined ? undefined : AbortSignal.timeout(batch.timeoutMs);
  const done = await readStepResults(scope, checkpoints, sealed);
  const waiting = last ? checkpointWaits(last) : [];
  const run = {
    steps: (await runVersions(scope).started(batch.flowId, batch.flowVersionId, batch.subFlows)).steps,
    variables: runVariables({ ...batch, runId, record, ...job.input }),
    ports: paidBy(
      livePorts(scope, {
        ...batch,
        batchId: batch.dispatched ? undefined : batch.id,
        runId,
        recordId,
        listing: listingOfBatch(batch),
        isBatch: !batch.dispatched,
      }),
      {
        type: 'flow',
        id: batch.flowId,
      },
    ),
    done,
    waiting,
    kept: new Map([
      ...(earlier?.continued?.kept ?? []),
      ...(await readKept(scope, checkpoints, done, sealed)),
    ]),
    turns: new Map(),
    earlier,
    identity,
    repeatsUnsafe: batch.unsafe,
    mayGoOn: true,
    appendsTo: (batch.dispatched?.appendsMetadata && recordId) || undefined,
    hasCaller: isOfTask(batch),
    signal: anySignal(signal, limit, cancelled?.signal),
    trace: traceOfRecord(batch, runId, checkpoints[0]),
    recorder,
    ...(batch.dispatched && waiting.length > 0 && { onEvent: listedAgain(scope, runId, waiting) }),
  };
  const retries = new Map<string, Retried>();
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptRun({ ...run, retries, mayRetry: attempt < batch.maxRetries }).catch(
      (error) => {
        if (!(limit?.aborted || isCancelled()) || signal.aborted) throw error;
      },
    );
    if (!outcome && isCancelled()) return recorder.finish(runCancelled);
    if (!outcome) return recorder.finish(`The run exceeded its time limit of ${batch.timeoutMs} ms`);
    if ('suspended' in outcome) {
      // The sweeper has resent the messages: the newer message sets the timer.
      const superseded = (job.message.sending ?? 0) < (batch.seen?.sendings ?? 0);
      if (superseded) return;
      const { waits, until } = outcome.suspended;
      const polls = isSameWait(waits, waiting) ? (job.message.polls ?? 0) + 1 : 1;
      if (polls > pollsMax) return recorder.finish(`The run resumed ${pollsMax} times in one wait`);
      if (batch.dispatched && polls === 1) await listAs(scope, runId, 'paused');
      const message = { ...job.message, polls };
      const isAnswered = await resumeByAnswers(scope, waits, message);
      return scheduleTimer(scope, isAnswered ? scope.now() : until, message);
    }
    if ('end' in outcome) return;
    if ('awaiting' in outcome) {
      if (!isOfTask(batch)) throw new Error('A run of a batch has no caller');
      return pauseTask(scope, batch, outcome.awaiting.call);
    }
    const { retryFrom } = outcome;
    const delayMs = Math.ceil(Math.random() * 1_000 * 2 ** attempt);
    const count = (retries.get(retryFrom.path)?.count ?? 0) + 1;
    retries.set(retryFrom.path, { count, attempts: resultAttempts(retryFrom), delayMs });
    await sleep(delayMs, undefined, { signal });
  }
}

const earlierOf = async (
  scope: Scope,
  { message, earlierItems }: RecordJob,
  batch: Batch,
  sealed: SealedValues,
) =>
  message.takesEarlier
    ? await earlierResults(scope, earlierItems, { runId: message.runId, flowId: batch.flowId }, batch, sealed)
    : undefined;

/** Lists a run as running again, once another step begins than those in which it waited, and those around them. */
function listedAgain(scope: Scope, id: string, waits: readonly StepWait[]) {
  let isListed = false;
  return async (event: EngineRunEvent): Promise<void> => {
    if (isListed || event.type !== 'step_start') return;
    if (waits.some(({ path }) => `${path}.`.startsWith(`${event.path}.`))) return;
    isListed = true;
    await listAs(scope, id, 'running');
  };
}

/** Unless the run has ended. */
async function listAs({ table }: Scope, id: string, status: 'running' | 'paused'): Promise<void> {
  await table.commit([statusWrite({ table }, { id }, status)]).catch(ifRefused(undefined));
}
