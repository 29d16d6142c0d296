/**
 * One record of a batch, or a single run that continues as a batch, from its job to its stored end.
 * Order of `runRecord`: a stopped batch ends the run; else read the checkpoints (a run that has ended only settles its
 * batch), open the recorder, run the flow from there, retry the failed step up to `maxRetries` times, store the end.
 * `stored` resolves after that commit, and settles the batch if the record is likely to be its last.
 * A run that waits writes a checkpoint and sets a timer, and its message is done; the timer or an answer enqueues a new
 * message. A task of an A2A surface whose caller executes a tool becomes a paused execution instead, and its batch is
 * removed.
 * Each record is counted in the transaction of its last checkpoint, unless its batch was stopped before. A crash leaves
 * checkpoints behind: the next delivery resumes from them.
 * Called by the worker `run-record`; `failRecord` by the dead-letter worker, `batchCanceller` by the endpoints that
 * cancel.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { anySignal } from '../../core/concurrency/abort.ts';
import { log } from '../../core/log.ts';
import { type TracedRun, toTracedRun } from '../../core/trace-context.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import { agentRunQueue } from '../../domain/agents/agent-run-queue.ts';
import { combineNotifications, noNotification } from '../../domain/deliveries/end-webhook.ts';
import { closeWaits } from '../../domain/run-waits/wait-store.ts';
import { type RunKey, runEntity } from '../../domain/runs/run.ts';
import { createRunNotification, runEnd } from '../../domain/runs/run-end.ts';
import { runCancelled, statusWrite } from '../../domain/runs/run-list.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Batch, batchEntity } from '../batches/batch.ts';
import { isEnded } from '../batches/batch-progress.ts';
import {
  batchCancelled,
  batchFinder,
  batchStore,
  toBatchListing,
  toBatchRun,
} from '../batches/batch-store.ts';
import { groupCommits, type Ran, type RunCommits, type WithCommits } from '../batches/group-commit.ts';
import { type GivenUpJob, loadJobs, type RecordJob } from '../batches/record-jobs.ts';
import { resumeByAnswers } from '../batches/resume-by-answer.ts';
import type { RunMessage } from '../batches/run-message.ts';
import { scheduleTimer } from '../batches/run-timer.ts';
import { releaseSlots, slotDivider } from '../batches/slot-sharing.ts';
import type { EngineRunEvent, StepWait } from '../engine/engine.ts';
import { addPayer } from '../model-calls/pipeline.ts';
import { openPorts } from '../open-ports.ts';
import { type Checkpoint, getCheckpointWaits, isSameWait } from '../runs/checkpoint.ts';
import { callerDays, executionEntity, watchCancellation } from '../runs/execution.ts';
import { endError, toFlowEnding } from '../runs/flow-run-event.ts';
import { getRedeliveryExpiry, readCheckpoints, readKept, readStepResults } from '../runs/read-checkpoints.ts';
import { findEarlierResults } from '../runs/reused-results.ts';
import { attemptRun, type Retried } from '../runs/run-attempt.ts';
import { type FinalWrite, openRunRecorder, type RunRecorder } from '../runs/run-recorder.ts';
import { runVariables, type SealedValues, sealedValues } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import { getResultAttempts } from '../step-support/attempts.ts';
import type { LocalCall } from '../step-support/step-runner.ts';

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
  dispatched ? toTracedRun(runId, first?.startedIn ?? startedIn) : toTracedRun(runId, startedIn, id);

/** Those of a run on a record, or of a run by itself. */
const openRecordPorts = (scope: Scope, batch: Batch, { runId, recordId }: RunMessage) =>
  addPayer(
    openPorts(scope, {
      ...batch,
      batchId: batch.dispatched ? undefined : batch.id,
      runId,
      recordId,
      listing: toBatchListing(batch),
      isBatch: !batch.dispatched,
    }),
    { type: 'flow', id: batch.flowId },
  );

async function runJob(scope: Scope, job: RecordJob, commits: RunCommits, signal: AbortSignal): Promise<void> {
  const { batch, record, flowDeleted } = job;
  if (!batch) return;
  if (batch.stopped) return endCancelledRun(scope, job, commits);
  const checkpoints = await readEarlierCheckpoints(scope, job);
  const last = checkpoints.at(-1);
  if (last?.end) return settleIfLast(scope, batch, job.message);
  // Who cancels a run by itself expects it to stop; records of a batch that run now still finish.
  using cancelled = batch.dispatched ? watchCancellation(scope, toBatchRun(batch)) : undefined;
  const isCancelled = () => cancelled?.signal.aborted ?? false;
  const sealed = sealedValues(scope);
  const earlier = await loadEarlierResults(scope, job, batch, sealed);
  const identity = earlier?.continued?.identity ?? checkpoints[0]?.identity ?? job.message.runId;
  const recording = { commits, earlier: checkpoints, identity, sealed, isCancelled };
  const recorder = batchRecorder(scope, job, batch, recording);
  if (flowDeleted) return recorder.finish('The flow was deleted');
  if (!record && job.message.recordId) return recorder.finish('The record was deleted');
  const { runId, recordId } = job.message;
  const limit = batch.timeoutMs === undefined ? undefined : AbortSignal.timeout(batch.timeoutMs);
  const done = await readStepResults(scope, checkpoints, sealed);
  const waiting = last ? getCheckpointWaits(last) : [];
  const run = {
    steps: (await runVersions(scope).getStarted(batch.flowId, batch.flowVersionId, batch.subFlows)).steps,
    variables: runVariables({ ...batch, runId, record, ...job.input }),
    ports: openRecordPorts(scope, batch, job.message),
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
    ...(batch.dispatched &&
      waiting.length > 0 && { onEvent: relistOnNextStep(scope, toBatchRun(batch), waiting) }),
  };
  // Awaited here, so that the watch for a cancellation lasts as long as the run.
  await runAttempts(scope, job.message, batch, { run, limit, isCancelled, signal });
}

type RunParts = Omit<Parameters<typeof attemptRun>[0], 'retries' | 'mayRetry'> & {
  waiting: readonly StepWait[];
};

interface Attempts {
  run: RunParts;
  /** Aborted at the time limit of the run, if it has one. */
  limit: AbortSignal | undefined;
  isCancelled: () => boolean;
  /** Aborted when the invocation ends. */
  signal: AbortSignal;
}

/** Runs the flow until it ends, waits or has to be left to another invocation; retries from its failed step. */
async function runAttempts(
  scope: Scope,
  message: RunMessage,
  batch: Batch,
  { run, limit, isCancelled, signal }: Attempts,
): Promise<void> {
  const { recorder, waiting } = run;
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
      const superseded = (message.sending ?? 0) < (batch.seen?.sendings ?? 0);
      if (superseded) return;
      const { waits, until } = outcome.suspended;
      const polls = isSameWait(waits, waiting) ? (message.polls ?? 0) + 1 : 1;
      if (polls > pollsMax) return recorder.finish(`The run resumed ${pollsMax} times in one wait`);
      if (batch.dispatched && polls === 1) await setListedStatus(scope, toBatchRun(batch), 'paused');
      const isAnswered = await resumeByAnswers(scope, waits, { ...message, polls });
      return scheduleTimer(scope, isAnswered ? scope.now() : until, { ...message, polls });
    }
    if ('end' in outcome) return;
    if ('awaiting' in outcome) {
      if (!isOfTask(batch)) throw new Error('A run of a batch has no caller');
      return pauseTask(scope, batch, outcome.awaiting.call);
    }
    const { retryFrom } = outcome;
    const delayMs = Math.ceil(Math.random() * 1_000 * 2 ** attempt);
    const count = (retries.get(retryFrom.path)?.count ?? 0) + 1;
    retries.set(retryFrom.path, { count, attempts: getResultAttempts(retryFrom), delayMs });
    await sleep(delayMs, undefined, { signal });
  }
}

const loadEarlierResults = async (
  scope: Scope,
  { message, earlierItems }: RecordJob,
  batch: Batch,
  sealed: SealedValues,
) =>
  message.takesEarlier
    ? await findEarlierResults(
        scope,
        earlierItems,
        { runId: message.runId, flowId: batch.flowId },
        batch,
        sealed,
      )
    : undefined;

/** Lists a run as running again, once another step begins than those in which it waited, and those around them. */
function relistOnNextStep(scope: Scope, run: RunKey, waits: readonly StepWait[]) {
  let isListed = false;
  return async (event: EngineRunEvent): Promise<void> => {
    if (isListed || event.type !== 'step_start') return;
    if (waits.some(({ path }) => `${path}.`.startsWith(`${event.path}.`))) return;
    isListed = true;
    await setListedStatus(scope, run, 'running');
  };
}

/** Unless the run has ended. */
async function setListedStatus({ table }: Scope, run: RunKey, status: 'running' | 'paused'): Promise<void> {
  await table.commit([statusWrite({ table }, run, status)]).catch(onConditionFailed(undefined));
}

/** Fails a record from the dead-letter queue, unless it has ended meanwhile. */
export async function failRecord(scope: Scope, job: GivenUpJob, error: string): Promise<void> {
  const { batch, readable: earlier, written, hasEnded } = job;
  if (!batch || hasEnded) return;
  const ran = await groupCommits(scope)((commits) =>
    batchRecorder(scope, job, batch, { commits, earlier, written }).finish(error),
  );
  await ran.stored;
}

const readEarlierCheckpoints = async (scope: Scope, { message, firstCheckpoint }: RecordJob) =>
  !firstCheckpoint || firstCheckpoint.end
    ? [firstCheckpoint].filter((each) => each !== undefined)
    : readCheckpoints(scope, message);

async function settleIfLast(
  scope: Scope,
  batch: Batch,
  { batchId, isLast, polls }: RecordJob['message'],
): Promise<void> {
  await continueAgentAround(scope, batch);
  if (isLast || polls !== undefined) await settleBatchNow(scope, batchId);
}

/** A run inside of an agent's, whose call waits for its end. If it fails, the sweep of agents looks for it. */
async function continueAgentAround(scope: Scope, { dispatched, origin }: Batch): Promise<void> {
  if (!dispatched || origin?.parentRunId === undefined) return;
  try {
    await agentRunQueue(scope).send(origin.parentRunId);
  } catch (error) {
    log.warn('The run around a flow that has ended is continued later', { error, runId: dispatched.runId });
  }
}

/** If it fails, a sweep settles the batch. */
export async function settleBatchNow(scope: Scope, batchId: string): Promise<void> {
  try {
    const progress = await batchFinder(scope).settle(batchId);
    if (progress && isEnded(progress)) await slotDivider(scope).releaseBatch(batchId);
  } catch (error) {
    log.warn('The end of a batch could not be stored; a sweep will', { error, batchId });
  }
}

interface RecorderOptions {
  commits: RunCommits;
  earlier: readonly Checkpoint[];
  /** Whose acts those of the run are. Default: its own. */
  identity?: string;
  /** How many checkpoints the run has, if some of them cannot be read. */
  written?: number;
  /** Of what runs the steps. */
  sealed?: SealedValues;
  /** Asked at the end. */
  isCancelled?: () => boolean;
}

/** Counts the record at its end, unless the batch was stopped before: then its totals stay. */
function batchRecorder(
  scope: Scope,
  { message, record, flowDeleted }: RecordJob,
  batch: Batch,
  {
    commits,
    earlier,
    identity,
    written,
    sealed,
    isCancelled = () => batch.stopped === 'cancelled',
  }: RecorderOptions,
): RunRecorder {
  const { userId, organizationId, flowId, flowName, flowVersionId, subFlows, ttl, surface, stopped } = batch;
  const { batchId, recordId, runId, slot } = message;
  const { name: recordName = null, metadata: recordMetadata = {} } = record ?? {};
  const ids = { userId, organizationId, flowId, flowName, flowVersionId, batchId, runId, recordId };
  // Checkpoints of a deleted flow or record may be written after its cleanup, so they need a TTL.
  const isOrphan = flowDeleted || (recordId !== null && !record);
  const forgotten = isOrphan ? getRedeliveryExpiry(scope) : ttl;
  const facts = {
    ...ids,
    ...(subFlows && { subFlows }),
    ...(identity !== undefined && identity !== runId && { identity }),
    recordName,
    recordMetadata,
    ...(forgotten !== undefined && { ttl: forgotten }),
  };
  const commitEnd = async (ending: FinalWrite) => {
    const { failed, output } = ending;
    // Its process looks once a second, so it may have been cancelled since (D223).
    const isOver =
      isCancelled() || (batch.dispatched && (await isListedAsCancelled(scope, toBatchRun(batch))));
    const status = isOver ? 'cancelled' : failed ? 'failed' : 'completed';
    const error = endError(status, ending.error);
    const notice = await createRunNotification(scope, surface, { executionId: runId, status, output, error });
    const listed = batch.dispatched
      ? await runEnd(scope, toBatchRun(batch), toFlowEnding({ ...ending, error }, status))
      : noNotification;
    commits.end({
      ...ending,
      batchId,
      slot,
      isCounted: stopped === null && status !== 'cancelled',
      notice: combineNotifications(notice, listed),
      after: async () => {
        if (earlier.some(({ waiting }) => waiting !== undefined)) await closeOpenWaits(scope, runId);
        await settleIfLast(scope, batch, message);
      },
    });
  };
  return openRunRecorder(scope, facts, commitEnd, {
    earlier,
    written,
    sealed,
    commitProgress: commits.progress,
  });
}

/** The inbox does not show them anyway, once the listed run is over. */
const closeOpenWaits = (scope: Scope, runId: string): Promise<void> =>
  closeWaits(scope, runId).catch((error) =>
    log.warn('The waits of a run that is over could not be closed', { error, runId }),
  );

const isListedAsCancelled = async ({ table }: Scope, run: RunKey): Promise<boolean> =>
  (await table.get(runEntity, run, { consistent: true }))?.status === 'cancelled';

/** Counts the costs of the run, but not its record, so that the batch's totals stay. */
async function endCancelledRun(scope: Scope, job: RecordJob, commits: RunCommits): Promise<void> {
  const { batch } = job;
  const earlier = await readEarlierCheckpoints(scope, job);
  const last = earlier.at(-1);
  // One that never began is over too, if somebody waits to be told.
  if (!batch?.stopped || last?.end || !(last || batch.surface || batch.dispatched)) return;
  const recorder = batchRecorder(scope, job, batch, { commits, earlier });
  await recorder.finish(batch.error ?? (batch.dispatched ? runCancelled : batchCancelled));
}

/** Ends a suspended run of a cancelled batch before its timer fires. @returns whether it did. */
export const endSuspendedRun = /* @__PURE__ */ using(
  [
    'table:write',
    'table:delete',
    'payloads:read',
    'payloads:write',
    'queue:deliveries',
    runEnd,
    slotDivider,
    agentRunQueue,
  ],
  (scope: Scope) =>
    async (run: Pick<RunMessage, 'batchId' | 'flowId' | 'recordId' | 'runId'>): Promise<boolean> => {
      const [job] = await loadJobs(scope, [{ ...run, tenant: scope.table.tenant, slot: 0 }]);
      if (!job?.batch?.stopped) return false;
      const earlier = await readEarlierCheckpoints(scope, job);
      if (!earlier.at(-1)?.waiting) return false;
      const { stored } = await groupCommits(scope)((commits) => endCancelledRun(scope, job, commits));
      // Rejected if the timer fired right before the cancellation and the run has written a checkpoint since.
      return stored.then(() => true, onConditionFailed(false));
    },
);

/** Cancels a batch and, if it is a single run that is suspended, that run. @throws 404, 409 if it has ended. */
export const batchCanceller = /* @__PURE__ */ using(
  [batchStore, endSuspendedRun],
  (scope: Scope) =>
    async (batchId: string): Promise<void> => {
      const { get, stop } = batchStore(scope);
      const batch = await get(batchId);
      const { dispatched, flowId } = batch;
      const run = dispatched && (await scope.table.get(runEntity, toBatchRun(batch), { consistent: true }));
      await stop(batchId, 'cancelled');
      await Promise.all([slotDivider(scope).releaseBatch(batchId), releaseSlots(scope, batchId)]);
      // The process that has a run ends it.
      if (dispatched && run?.status !== 'running')
        await endSuspendedRun(scope)({ ...dispatched, batchId, flowId });
    },
);

/** A batch whose only run is the task of an a2a surface: its caller may come back with the output of a tool. */
type TaskBatch = Batch & {
  dispatched: NonNullable<Batch['dispatched']>;
  surface: NonNullable<Batch['surface']> & { taskId: string };
};

const isOfTask = (batch: Batch): batch is TaskBatch =>
  batch.dispatched !== undefined && batch.surface?.taskId !== undefined;

/**
 * Leaves a run to the caller of its task, who executes a tool. The run becomes one of a dispatch that pauses, and the
 * batch is gone: it would otherwise count as stalled. Changes nothing if the task was canceled.
 */
async function pauseTask(scope: Scope, batch: TaskBatch, { toolName, parameters }: LocalCall): Promise<void> {
  const { table, now, newId } = scope;
  const { dispatched, surface, flowId, flowName, flowVersionId, subFlows, startedAt } = batch;
  const { runId: id, recordId, input, appendsMetadata } = dispatched;
  const toolCallId = newId('call');
  const paused = {
    toolCallId,
    toolName,
    flowVersionId,
    ...(subFlows && { subFlows }),
    input,
    appendsMetadata,
    debugMode: false,
    permissions: [],
  };
  const leaseUntil = new Date(now().getTime() + callerDays * 86_400_000).toISOString();
  const execution = {
    id,
    kind: 'dispatch' as const,
    flowId,
    flowName,
    recordId,
    startedAt,
    leaseUntil,
    surface,
  };
  const awaited = { callId: toolCallId, toolName, parameters };
  const task = { surfaceId: surface.surfaceId, id: surface.taskId };
  const { writes, send } = await a2aTaskStore(scope).preparePause(task, { awaited, batchId: null });
  await table
    .commit([
      ...writes,
      table.writes.insert(executionEntity, { ...execution, paused }),
      table.writes.remove(batchEntity, batch),
    ])
    .then(send, onConditionFailed(undefined));
}
