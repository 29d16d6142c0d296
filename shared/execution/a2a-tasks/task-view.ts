import type { ServedMessage, ServedStatus, ServedTask } from '../../adapters/a2a-server/served-agent.ts';
import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import type { ReceivedMessage } from '../../domain/a2a-tasks/task-messages.ts';
import { toOutputParts } from './output-parts.ts';
import type { TaskProgress, TaskWait } from './task-progress.ts';

export function toTaskView(
  task: A2aTask,
  progress: TaskProgress,
  messages: readonly ReceivedMessage[],
): ServedTask {
  return {
    id: task.id,
    contextId: task.contextId,
    status: toTaskStatus(task, progress),
    output: progress.state === 'completed' ? toOutputParts(progress.output) : [],
    history: messages.map((message): ServedMessage => ({ ...message, role: 'user' })),
  };
}

export function toTaskStatus(task: A2aTask, progress: TaskProgress): ServedStatus {
  const { state, at } = progress;
  const say = (parts: A2aPart[]): ServedStatus => {
    return { state, at, message: { id: `${task.id}-${state}`, role: 'agent', parts } };
  };
  if (progress.state === 'input-required') return say(toQuestionParts(progress.waits));
  if (progress.state === 'working' && progress.isHeld) return say([{ text: held }]);
  if (progress.state !== 'failed') return { state, at };
  return say([{ text: task.hidesReasons ? 'The run failed' : (progress.error ?? 'The run failed') }]);
}

const held = 'The task waits for an approval by the operator of the agent, and then continues.';

/** What the caller is asked: in words, and as data that says how to answer. */
function toQuestionParts(waits: readonly TaskWait[]): A2aPart[] {
  const words = waits.map(({ kind, toolName }) =>
    kind === 'approval'
      ? `Approve or deny the call of the tool ${toTitle(toolName)}.`
      : `Execute ${toolName} and send its output.`,
  );
  const calls = waits.map(({ kind, callId, approvalId, toolName, parameters }) =>
    kind === 'approval'
      ? { type: 'approval', approvalId, title: toTitle(toolName) }
      : { type: 'tool', toolCallId: callId, toolName, parameters },
  );
  return [{ text: words.join(' ') }, { data: { inputRequired: calls } }];
}

/** The name of a tool in words: names and arguments are internal to the tenant. */
function toTitle(toolName: string): string {
  const words = toolName.split(/[_-]+/).filter(Boolean).join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
