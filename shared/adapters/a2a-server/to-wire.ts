import type { Artifact, Message, StreamResponse, Task, TaskStatus } from '@a2a-js/sdk';
import { toPart } from '../a2a-client/parts.ts';
import type { A2aPart, A2aState } from '../ports/a2a-port.ts';
import type { ServedEvent, ServedMessage, ServedStatus, ServedTask } from './served-agent.ts';

/** By their numbers in the protocol. */
const states: readonly (A2aState | undefined)[] = [
  undefined,
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
] as (A2aState | undefined)[];

export const toTaskState = (value: number): A2aState | undefined => states[value];

const roles = { user: 1, agent: 2 };

type TaskPlace = Pick<ServedTask, 'id' | 'contextId'>;

/** @param historyLength How many of the latest messages. Undefined: all. */
export function toTask(task: ServedTask, historyLength?: number): Task {
  const { id, contextId, status, output, history } = task;
  const shown =
    historyLength === undefined
      ? history
      : history.slice(history.length - Math.min(historyLength, history.length));
  return {
    id,
    contextId,
    status: toStatus(status, task),
    artifacts: output.length > 0 ? [toArtifact(output)] : [],
    history: shown.map((message) => toMessage(message, task)),
    metadata: undefined,
  };
}

/** A task has one artifact: the answer. */
const toArtifact = (parts: readonly A2aPart[]): Artifact => ({
  artifactId: 'answer',
  name: 'answer',
  description: '',
  parts: parts.map(toPart),
  metadata: undefined,
  extensions: [],
});

const toMessage = ({ id, role, parts }: ServedMessage, task: TaskPlace): Message => ({
  messageId: id,
  role: roles[role],
  parts: parts.map(toPart),
  taskId: task.id,
  contextId: task.contextId,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const toStatus = ({ state, at: timestamp, message }: ServedStatus, task: TaskPlace): TaskStatus => ({
  state: states.indexOf(state),
  message: message && toMessage(message, task),
  timestamp,
});

export function toStreamResponse(
  event: ServedEvent,
  task: TaskPlace,
  historyLength?: number,
): StreamResponse {
  const place = { taskId: task.id, contextId: task.contextId, metadata: undefined };
  switch (event.type) {
    case 'task':
      return { payload: { $case: 'task', value: toTask(event.task, historyLength) } };
    case 'status':
      return {
        payload: { $case: 'statusUpdate', value: { ...place, status: toStatus(event.status, task) } },
      };
    case 'output': {
      const { parts, append, isLast: lastChunk } = event;
      const value = { ...place, artifact: toArtifact(parts), append, lastChunk };
      return { payload: { $case: 'artifactUpdate', value } };
    }
  }
}
