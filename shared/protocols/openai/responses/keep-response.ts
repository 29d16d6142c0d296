import { toChunks } from '../../../core/chunks.ts';
import { truncate } from '../../../core/text.ts';
import { conversationStore } from '../../../domain/conversations/conversation-store.ts';
import { type KeptResponse, keptResponses } from '../../../domain/conversations/kept-responses.ts';
import { messageText } from '../../../domain/conversations/message.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import type { AnswerEvent, WholeAnswer } from '../answers/answer.ts';
import { spokenMessages } from '../chat/answer-chat.ts';
import type { CompletionMessage } from '../chat/message-schemas.ts';

interface Keeping {
  id: string;
  runId: string;
  conversationId: string;
  principal: Pick<Principal, 'userId' | 'organizationId'>;
  previous: KeptResponse | undefined;
  /** All before this response, and those of its request. */
  history: readonly CompletionMessage[];
  sent: readonly CompletionMessage[];
}

const titleMax = 100;
const appendedMax = 40;

/** Keeps responses, so that others continue them; what was said is a conversation. */
export const responseKeeper = /* @__PURE__ */ using([conversationStore, keptResponses], (scope: Scope) => {
  const conversations = conversationStore(scope);
  const kept = keptResponses(scope);

  /** What is said after an earlier response than the last is another conversation. */
  async function conversationOf({ conversationId: id, principal, previous, sent }: Keeping) {
    if (previous?.isLast) return previous.conversation;
    const [first] = spokenMessages(sent).filter(({ role }) => role === 'user');
    const title = truncate((first && messageText(first).trim()) || 'Response', titleMax);
    return conversations.create(principal, { title, id });
  }

  return {
    find: kept.find,

    async keep(keeping: Keeping, answer: Pick<WholeAnswer, 'text' | 'toolCalls'>): Promise<void> {
      const { id, runId, history, sent } = keeping;
      const said = answerMessage(answer);
      let conversation = await conversationOf(keeping);
      const spoken = spokenMessages([...sent, said]).map((message, index) => ({
        ...message,
        id: `${id}_${index}`,
        ...(message.role === 'assistant' && { runId }),
      }));
      for (const messages of toChunks(spoken, appendedMax)) {
        const options = { known: conversation };
        conversation = (await conversations.append(conversation.id, messages, options)).conversation;
      }
      await kept.keep(id, conversation, {
        messages: [...sent, said],
        history: [...history],
        previous: keeping.previous,
      });
    },
  };
});

function answerMessage({ text, toolCalls }: Pick<WholeAnswer, 'text' | 'toolCalls'>): CompletionMessage {
  const tool_calls = toolCalls.map(({ id, name, text: written }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: written },
  }));
  return { role: 'assistant', content: text, ...(tool_calls.length > 0 && { tool_calls }) };
}

/** Keeps an answer before its end is told, so that it can be continued at once. */
export async function* keptAnswer(
  events: AsyncIterable<AnswerEvent>,
  keep: (answer: Pick<WholeAnswer, 'text' | 'toolCalls'>) => Promise<void>,
): AsyncGenerator<AnswerEvent, void> {
  const answer = { text: '', toolCalls: [] as WholeAnswer['toolCalls'] };
  for await (const event of events) {
    if (event.type === 'text-delta') answer.text += event.text;
    else if (event.type === 'tool-call') answer.toolCalls.push(event);
    else if (event.type === 'end') await keep(answer);
    yield event;
  }
}
