import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Conversation } from './conversation.ts';
import { decodeCursor, encodeCursor } from './message-cursor.ts';
import { messagePages } from './message-pages.ts';

/** A streamed response has 200 MB. */
const exportBytesMax = 100_000_000;

/** Yields a conversation as lines of JSON: itself, then its messages, oldest first. */
export const conversationExporter = /* @__PURE__ */ using(
  [messagePages],
  (scope: Scope, pages: Pick<ReturnType<typeof messagePages>, 'walk'> = messagePages(scope)) => {
    async function* writeLines(
      conversation: Conversation,
      from: number,
      head: object,
    ): AsyncGenerator<string> {
      yield `${JSON.stringify({ type: 'conversation', ...head })}\n`;
      let bytes = 0;
      for await (const messages of pages.walk(conversation, { from })) {
        for (const { number, id, role, content, createdAt } of messages) {
          if (bytes > exportBytesMax) {
            const next = encodeCursor(conversation, number);
            yield `${JSON.stringify({ type: 'more', after: next })}\n`;
            return;
          }
          const line = `${JSON.stringify({ type: 'message', id, role, content, createdAt })}\n`;
          bytes += Buffer.byteLength(line);
          yield line;
        }
      }
    }

    /** @param after The cursor of a former export's last line. @throws 400 */
    return (conversation: Conversation, head: object, after?: string): AsyncGenerator<string> =>
      writeLines(conversation, after === undefined ? 0 : decodeCursor(conversation, after, 'after'), head);
  },
);
