import { invalidAt } from '../../../core/errors/errors.ts';
import type { CompletionMessage } from './message-schemas.ts';

/** Each call of a tool has one result, right after its message. @returns the names of the tools by the ids of the calls. @throws 400 */
export function assertAnswered(messages: readonly CompletionMessage[]): Map<string, string> {
  const names = new Map<string, string>();
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) continue;
      const text = 'Expected the id of a call in the last message of the assistant that has no result yet';
      throw invalidAt(`messages.${index}.tool_call_id`, 'INVALID_VALUE', text);
    }
    if (open.size > 0) throw withoutResult(index, open);
    if (message.role !== 'assistant') continue;
    for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name);
    open = new Set(message.tool_calls?.map(({ id }) => id));
  }
  if (open.size > 0) throw withoutResult(messages.length, open);
  return names;
}

const withoutResult = (index: number, open: ReadonlySet<string>) =>
  invalidAt(
    `messages.${index}`,
    'INVALID_VALUE',
    `Expected the results of the calls ${[...open].slice(0, 5).join(', ')} in messages with the role tool`,
  );
