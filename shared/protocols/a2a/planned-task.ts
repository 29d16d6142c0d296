import type { IncomingMessage } from '../../adapters/a2a-server/served-agent.ts';
import type { ReceivedMessage } from '../../domain/a2a-tasks/begun-message.ts';
import type { PushConfig } from '../../domain/a2a-tasks/push-config.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import type { NewA2aTask } from '../../domain/a2a-tasks/task-messages.ts';
import { a2aTaskStore } from '../../domain/a2a-tasks/task-store.ts';
import type { Message } from '../../domain/conversations/message.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import { type RunTask, toRunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { callersApprove } from '../../domain/surfaces/surface/surface-behavior.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { StreamEvent } from '../run-events/stream-event.ts';
import type { A2aCall } from './call.ts';

export interface NewTask {
  found: ExposedItem;
  message: IncomingMessage;
  /** What was said before in the context. */
  earlier: readonly Message[];
}

/** A task whose run is about to start: the run knows its id. */
export interface PlannedTask extends NewTask {
  taskId: string;
  pushConfigs: PushConfig[];
}

export const toRunTask = ({ taskId: id, pushConfigs }: PlannedTask): RunTask => ({
  id,
  isWatched: pushConfigs.length > 0,
});

export const taskRunSurface = ({ depth }: A2aCall, planned: PlannedTask) =>
  toRunSurface(planned.found.surface, depth, toRunTask(planned));

export interface StartedTask {
  task: A2aTask;
  /** None for a run that a worker executes. */
  events: AsyncIterable<StreamEvent> | undefined;
  /** Whether its message was sent before, and started nothing now. */
  isRepeated?: boolean;
}

type Place = Pick<A2aTask, 'kind' | 'executionId' | 'batchId' | 'leaseUntil'>;

export function taskBeginning(
  { principal, owner }: A2aCall,
  { found, message, taskId: id, pushConfigs }: PlannedTask,
  place: Place,
): [NewA2aTask, ReceivedMessage] {
  const { kind, environment } = principal;
  const task = {
    ...owner,
    ...place,
    id,
    contextId: message.contextId ?? id,
    itemId: found.item.id,
    pushConfigs,
    approves: callersApprove(found.surface),
    hidesReasons: kind === 'surface' && environment !== 'test',
  };
  return [task, { id: message.id, parts: message.parts }];
}

/** The task that the message started when it was sent before. @throws 400 if that was another message */
export async function findRepeatedTask(
  scope: Scope,
  { owner }: A2aCall,
  { taskId: id, message, found }: Omit<PlannedTask, 'pushConfigs'>,
): Promise<StartedTask> {
  const tasks = a2aTaskStore(scope);
  const asked = { ...owner, id, contextId: message.contextId ?? id, itemId: found.item.id };
  const begun = await tasks.findBegunTask(asked, { id: message.id, parts: message.parts });
  return { task: await tasks.find(owner, begun), events: undefined, isRepeated: true };
}
