import type { ModelMessage } from '../../adapters/ports/model-port.ts';
import { type Message, messageText } from '../../domain/conversations/message.ts';
import { messageSummaries } from '../../domain/conversations/recent-messages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Compaction } from '../agent-loop/compaction.ts';
import type { RunHistory } from './agent-input.ts';

/** Fewer than a chat reads, so that a message whose summary was not stored is not lost at once. */
const messagesMax = 80;
const recentMessages = 40;

export interface ChatHistory {
  isLong: (messages: readonly ModelMessage[]) => boolean;
  /** How many messages stay whole when the older ones are summarised. */
  recentMessages: number;
  /** Stores a summary in the conversation, for the next runs. */
  keep: (compaction: Pick<Compaction, 'summary' | 'summarised'>) => Promise<void>;
}

export const chatHistory = (
  scope: Scope,
  history: RunHistory,
  messages: readonly Message[],
): ChatHistory => ({
  isLong: (all) => all.length > messagesMax,
  recentMessages,
  async keep({ summary, summarised }) {
    if (summarised === 0) return;
    const { conversationId, generation, firstNumber, instructions: before } = history;
    const covered = listCovered(messages, summarised);
    const added = covered.filter(({ role }) => role === 'system').map(messageText);
    const instructions = [before, ...added].filter(Boolean).join('\n\n');
    const number = firstNumber + covered.length - 1;
    await messageSummaries(scope).store({ conversationId, generation, number }, { summary, instructions });
  },
});

/** The messages up to one of those that are summarised: all but system messages, which stay. */
function listCovered(messages: readonly Message[], summarised: number): readonly Message[] {
  let left = summarised;
  const end = messages.findIndex(({ role }) => role !== 'system' && --left === 0);
  return messages.slice(0, end + 1);
}
