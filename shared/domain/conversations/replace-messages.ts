import { toChunks } from '../../core/chunks.ts';
import type { NewId } from '../../core/ids.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadRemover } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Conversation } from './conversation.ts';
import { formerMessagesRanges } from './message-items.ts';
import { firstUserMessage, messageWrites, type NewMessage } from './message-writes.ts';

/** Two writes each, of the 100 that a transaction has. */
const replacedTogether = 50;

type Offloaded = { pointer?: string } | undefined;

/** Sorts after those before. */
export const newGeneration = (newId: NewId) => newId('msg').slice('msg_'.length);

/** Replaces all messages of a conversation: first writes the new ones, and at last removes the former ones. */
export const messageReplacement = /* @__PURE__ */ using(
  ['table:write', 'table:delete', messageWrites, payloadRemover],
  (scope: Scope) => {
    const { table, newId } = scope;
    const writes = messageWrites(scope);
    const payloads = payloadRemover();
    return {
      /** Writes messages as a generation that the conversation does not name yet. @returns what it has to name. */
      async write(
        id: string,
        messages: readonly NewMessage[],
      ): Promise<Pick<Conversation, 'generation' | 'messageCount' | 'firstMessage'>> {
        const generation = newGeneration(newId);
        const prepared = await writes.prepare(id, messages, replacedTogether);
        for (const [index, chunk] of toChunks(prepared, replacedTogether).entries()) {
          await table.commit(writes.insert({ id, generation }, chunk, index * replacedTogether));
        }
        return { generation, messageCount: messages.length, firstMessage: firstUserMessage(messages) };
      },

      /** Removes messages of generations before the current one, also those that a crash left. */
      async removeFormer(conversation: Conversation): Promise<void> {
        for (const range of formerMessagesRanges(conversation)) {
          await table.removeRange(range, (items) =>
            payloads.remove(items.flatMap(({ content }) => (content as Offloaded)?.pointer ?? [])),
          );
        }
      },
    };
  },
);
