import { a2aTaskStore } from '../../../domain/a2a-tasks/task-store.ts';
import { ifRefused } from '../../../platform/data/condition-failed.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { callerDays, executionEntity } from '../../runs/execution.ts';
import type { LocalCall } from '../../step-support/step-runner.ts';
import { type Batch, batchEntity } from '../batch.ts';

/** A batch whose only run is the task of an a2a surface: its caller may come back with the output of a tool. */
export type TaskBatch = Batch & {
  dispatched: NonNullable<Batch['dispatched']>;
  surface: NonNullable<Batch['surface']> & { taskId: string };
};

export const isOfTask = (batch: Batch): batch is TaskBatch =>
  batch.dispatched !== undefined && batch.surface?.taskId !== undefined;

/**
 * Leaves a run to the caller of its task, who executes a tool. The run becomes one of a dispatch that pauses, and the
 * batch is gone: it would otherwise count as stalled. Changes nothing if the task was canceled.
 */
export async function pauseTask(
  scope: Scope,
  batch: TaskBatch,
  { toolName, parameters }: LocalCall,
): Promise<void> {
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
  const { writes, send } = await a2aTaskStore(scope).pausing(task, { awaited, batchId: null });
  await table
    .commit([
      ...writes,
      table.writes.insert(executionEntity, { ...execution, paused }),
      table.writes.remove(batchEntity, batch),
    ])
    .then(send, ifRefused(undefined));
}
