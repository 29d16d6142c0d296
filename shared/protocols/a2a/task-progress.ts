import { hasCode, ifMissing } from '../../core/errors/errors.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { notifyTaskEnd } from '../../domain/a2a-tasks/task-notice.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import { hasOpenQuestion } from '../../domain/run-waits/run-wait.ts';
import { type LoopWait, toAwaitReason } from '../../execution/agent-loop/facts.ts';
import { endStatus } from '../../execution/agent-runs/agent-execution.ts';
import { findExecution, loadRun, runLogReader } from '../../execution/agent-runs/run-log.ts';
import { endRun } from '../../execution/agent-runs/sweep-runs.ts';
import { batchStore } from '../../execution/batches/batch-store.ts';
import { findLastOutput } from '../../execution/runs/list-run-results.ts';
import { readCheckpoints } from '../../execution/runs/read-checkpoints.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadReader } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** What a task waits for its caller to do. */
export type TaskWait = Pick<LoopWait, 'kind' | 'callId' | 'approvalId' | 'toolName' | 'parameters'>;

export type TaskProgress =
  /** `isHeld`: somebody of the tenant has to allow a call, or to answer, first. */
  | { state: 'working'; at: string; isHeld?: boolean }
  | { state: 'input-required'; at: string; waits: readonly TaskWait[] }
  | TaskEnding;

export type TaskEnding =
  | { state: 'completed'; at: string; output: unknown }
  | { state: 'failed' | 'canceled'; at: string; error: string | null };

/** How tasks stand: what they say themselves, or else what their runs say. Records the end of a run. */
export const taskProgress = /* @__PURE__ */ using(
  ['table:write', a2aTaskStore, payloadReader],
  (scope: Scope) => {
    const tasks = a2aTaskStore(scope);

    return async (task: A2aTask): Promise<TaskProgress> => {
      if (task.status !== 'open') return toTaskEnding(task, await tasks.fetchOutput(task));
      const progress =
        task.kind === 'agent' ? await readAgentTask(scope, task) : await readFlowTask(scope, task);
      if (progress.state === 'working' || progress.state === 'input-required') return progress;
      return recordEnd(scope, task, progress);
    };
  },
);

/** Ends a task. @returns how it ended: another process may have ended it before. */
export async function recordEnd(scope: Scope, task: A2aTask, end: TaskEnding): Promise<TaskEnding> {
  const tasks = a2aTaskStore(scope);
  const [output, error] = 'output' in end ? [end.output, null] : [null, end.error];
  const own = await tasks.end(task, { status: end.state, output, error });
  if (own) return toTaskEnding(own, output);
  const ended = await tasks.find(task, task.id);
  return toTaskEnding(ended, await tasks.fetchOutput(ended));
}

const toTaskEnding = ({ status, updatedAt: at, error }: A2aTask, output: unknown): TaskEnding =>
  status === 'completed'
    ? { state: 'completed', at, output }
    : { state: status === 'canceled' ? 'canceled' : 'failed', at, error };

async function readAgentTask(scope: Scope, task: A2aTask): Promise<TaskProgress> {
  const { executionId } = task;
  // A caller that waits asks often: the whole log is read only if some of what the run waited for was answered.
  const [execution, entry] = await Promise.all([
    findExecution(scope, executionId).catch(ifMissing(undefined)),
    runLogReader(scope).last(executionId),
  ]);
  if (!execution) return { state: 'failed', at: task.updatedAt, error: 'The agent was deleted' };
  const last = entry?.fact;
  const at = last?.at ?? execution.startedAt;
  if (last?.type === 'end') {
    const { output, error } = last;
    const status = endStatus(last);
    if (status === 'completed') return { state: 'completed', at, output };
    return { state: status === 'cancelled' ? 'canceled' : 'failed', at, error };
  }
  const open =
    last?.type === 'pause'
      ? last.waits
      : execution.status === 'paused'
        ? (await loadState(scope, executionId)).waits
        : [];
  if (open.length === 0) return { state: 'working', at };
  const waits = open.filter((wait) => {
    const reason = toAwaitReason(wait);
    return reason === 'local_tool' || (reason === 'approval' && task.approves);
  });
  return waits.length > 0 ? { state: 'input-required', at, waits } : { state: 'working', at, isHeld: true };
}

const loadState = async (scope: Scope, id: string) => (await loadRun(scope, id)).state;

async function readFlowTask(scope: Scope, task: A2aTask): Promise<TaskProgress> {
  const { executionId: runId, updatedAt: at, leaseUntil } = task;
  const checkpoints = await readCheckpoints(scope, { runId, recordId: null });
  const end = checkpoints.at(-1)?.end;
  if (end?.status === 'completed') {
    const output = findLastOutput(checkpoints);
    return {
      state: 'completed',
      at: end.at,
      output: output ? await payloadReader(scope).fetch(output) : null,
    };
  }
  if (end) return { state: 'failed', at: end.at, error: end.error };
  if (task.awaited && checkpoints.length === 0) {
    return { state: 'failed', at, error: 'The flow was deleted' };
  }
  if (task.awaited) return { state: 'input-required', at, waits: [{ kind: 'output', ...task.awaited }] };
  const isLost = leaseUntil !== null && Date.parse(leaseUntil) <= scope.now().getTime();
  if (isLost)
    return { state: 'failed', at: leaseUntil, error: 'The process of the run crashed before the run ended' };
  const isSuspended = checkpoints.at(-1)?.waiting !== undefined;
  const isHeld = isSuspended && (await hasOpenQuestion(scope.table, runId));
  return { state: 'working', at, ...(isHeld && { isHeld }) };
}

const error = 'The task was canceled';

/**
 * Cancels a task and its run. A flow in front of its caller ends when its process sees it, within seconds; a step that
 * has begun in the background still finishes. @returns undefined if it had ended before.
 */
export async function cancelTask(scope: Scope, task: A2aTask): Promise<TaskEnding | undefined> {
  const { state } = await taskProgress(scope)(task);
  if (state !== 'working' && state !== 'input-required') return undefined;
  if (task.kind === 'agent') {
    const isEnded = await endRun(scope, task.executionId, { stopReason: 'cancelled', error }).catch(
      ifMissing(true),
    );
    if (!isEnded) return undefined;
  }
  const end = await recordEnd(scope, task, { state: 'canceled', at: scope.now().toISOString(), error });
  if (end.state !== 'canceled') return undefined;
  if (task.batchId) await batchStore(scope).stop(task.batchId, 'cancelled').catch(ifOver);
  return end;
}

function ifOver(failure: unknown): void {
  if (!hasCode(failure, 'CONFLICT') && !hasCode(failure, 'NOT_FOUND')) throw failure;
}

/** Tells the receivers of a task that ended before or while they were added: its end may not have seen them. */
export async function notifyIfOver(scope: Scope, task: A2aTask): Promise<void> {
  const { state } = await taskProgress(scope)(task);
  if (state !== 'working' && state !== 'input-required') await notifyTaskEnd(scope, task);
}
