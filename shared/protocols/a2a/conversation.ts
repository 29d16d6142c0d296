import type { A2aPart } from '../../adapters/ports/a2a-port.ts';
import type { A2aTask } from '../../domain/a2a-tasks/task.ts';
import { a2aTaskStore, type TaskOwner } from '../../domain/a2a-tasks/task-store.ts';
import type { Message } from '../../domain/conversations/message.ts';
import { taskProgress } from '../../execution/a2a-tasks/task-progress.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { userMessage } from './parameters.ts';

/** What was said in the finished tasks of a context. A context that the caller has not used is empty. */
export async function contextMessages(
  scope: Scope,
  owner: TaskOwner,
  contextId: string | undefined,
): Promise<Message[]> {
  if (contextId === undefined) return [];
  const found = await a2aTaskStore(scope).ofContext(owner, contextId);
  return (await Promise.all(found.map((task) => messagesOf(scope, task)))).flat();
}

async function messagesOf(scope: Scope, task: A2aTask): Promise<Message[]> {
  const progress = await taskProgress(scope)(task);
  if (progress.state !== 'completed') return [];
  const [first] = await a2aTaskStore(scope).messagesOf(task);
  const { output } = progress;
  const content = typeof output === 'string' ? output : JSON.stringify(output ?? null);
  return [...(first ? [withoutFiles(first.parts)] : []), { role: 'assistant', content }];
}

/** Files are sent once: they may be large, and their addresses may have expired. */
function withoutFiles(parts: readonly A2aPart[]): Message {
  const kept = parts.filter((part) => 'text' in part || 'data' in part);
  return userMessage(kept.length > 0 ? kept : [{ text: '(A file)' }]);
}
