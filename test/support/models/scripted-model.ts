import {
  type ChatRequest,
  type FailedAnswer,
  requestMessageText,
  type ToolCallAnswer,
} from '../../../examples/model-stand-in.ts';

/** What a scripted model does in a turn. */
export type ScriptedTurn =
  | { text: string }
  | ToolCallAnswer
  /** It fails, for ever or a number of times, before it goes on with the next turn. */
  | (FailedAnswer & { times?: number });

const failures = new Map<string, number>();

/**
 * The first message of the user is a script, a list of turns as JSON. Each request gets the turn after those that its
 * messages show. Without a script it repeats the last message.
 */
export function scriptedAnswer(
  { messages }: ChatRequest,
  fails = true,
): string | ToolCallAnswer | FailedAnswer {
  const start = messages.findIndex(
    (message) => message.role === 'user' && requestMessageText(message).startsWith('['),
  );
  if (start === -1)
    return `You said: ${requestMessageText(messages.at(-1) ?? { role: 'user', content: '' })}`;
  const script = requestMessageText(messages[start] as ChatRequest['messages'][number]);
  let left = messages.slice(start).filter(({ role }) => role === 'assistant').length;
  for (const [index, turn] of (JSON.parse(script) as ScriptedTurn[]).entries()) {
    if ('status' in turn) {
      const name = `${index} ${script}`;
      const failed = failures.get(name) ?? 0;
      if (left > 0 || !fails || failed >= (turn.times ?? Number.POSITIVE_INFINITY)) continue;
      failures.set(name, failed + 1);
      return turn;
    }
    if (left-- === 0) return 'toolCalls' in turn ? turn : turn.text;
  }
  return 'The script is over.';
}
