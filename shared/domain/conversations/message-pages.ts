import * as z from 'zod';
import { invalidAt } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { decodeReadable, type ItemOf } from '../../platform/data/entity.ts';
import { payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { responseBytes, responseBytesMax } from '../../platform/http/envelope.ts';
import type { Conversation } from './conversation.ts';
import type { Message } from './message.ts';
import { messageEntity, messagesRange } from './message-items.ts';
import { conversationPayloads } from './retention.ts';

/** A message as readers get it. */
export interface StoredMessage {
  id: string;
  role: Message['role'];
  /** `null` if the content is lost. */
  content: Message['content'] | null;
  createdAt: string;
}

type MessageItem = ItemOf<typeof messageEntity>;
type Numbered = StoredMessage & { number: number };

export interface MessagePage {
  /** Oldest first. */
  messages: StoredMessage[];
  /** Leads to the messages before these; `null` if these are the first. */
  cursor: string | null;
}

/** Items that one Query returns at most. */
const perQuery = 100;

/** Reads the messages of conversations. */
export const messagePages = /* @__PURE__ */ using(['table:read', payloadStore], (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadStore(scope, conversationPayloads);

  const withContent = async ({ id, role, createdAt, number, content }: MessageItem): Promise<Numbered> => {
    const found = (await payloads.fetchReadable(content)) as StoredMessage['content'];
    return { id, role, content: found, createdAt, number };
  };

  /** Yields messages one Query at a time, from one end of a range to the other. */
  async function* walk(
    conversation: Conversation,
    { newestFirst = false, limit = perQuery, ...bounds }: Walk,
  ): AsyncGenerator<Numbered[]> {
    const range = { ...messagesRange(conversation, bounds), newestFirst, limit, consistent: true };
    for await (const items of table.pages(range)) {
      yield await Promise.all(decodeReadable(messageEntity, items).map(withContent));
    }
  }

  return {
    walk,

    /**
     * The newest messages, or those before a cursor: as many as `limit`, or as fit a response, and at least one.
     * @throws 400 for a cursor of another conversation, or from before its messages were replaced.
     */
    async before(
      conversation: Conversation,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ): Promise<MessagePage> {
      const to = cursor === undefined ? undefined : decodeCursor(conversation, cursor) - 1;
      if (to === -1) return { messages: [], cursor: null };
      const page: Numbered[] = [];
      let bytes = 0;
      const isFull = ({ content }: Numbered) => {
        bytes += responseBytes(content) + perMessageBytes;
        return page.length >= limit || (page.length > 0 && bytes > responseBytesMax);
      };
      const bounds = { newestFirst: true, limit: Math.min(limit, perQuery), ...(to !== undefined && { to }) };
      walking: for await (const messages of walk(conversation, bounds)) {
        for (const message of messages) {
          if (isFull(message)) break walking;
          page.push(message);
        }
        if (page.length >= limit) break;
      }
      const oldest = page.at(-1)?.number ?? 0;
      const shown = page.toReversed().map(({ number: _number, ...message }) => message);
      return { messages: shown, cursor: oldest > 0 ? encodeCursor(conversation, oldest) : null };
    },
  };
});

interface Walk {
  from?: number;
  to?: number;
  newestFirst?: boolean;
  limit?: number;
}

/** More than the members of a message take beside its content. */
const perMessageBytes = 1_500;

const Cursor = z.strictObject({ generation: z.string(), number: z.int().min(0).max(99_999_999) });

export const encodeCursor = ({ generation }: Conversation, number: number) =>
  Buffer.from(JSON.stringify({ generation, number })).toString('base64url');

/** The number of the message next to the page. @throws 400 */
export function decodeCursor({ generation }: Conversation, cursor: string, path = 'messagesCursor'): number {
  const text = Buffer.from(cursor, 'base64url').toString();
  const { data } = z
    .string()
    .transform((json, context) => {
      try {
        return JSON.parse(json) as unknown;
      } catch {
        context.addIssue('Expected JSON');
        return z.NEVER;
      }
    })
    .pipe(Cursor)
    .safeParse(text);
  if (data?.generation === generation) return data.number;
  throw invalidAt(
    path,
    'INVALID_CURSOR',
    'Not a cursor of this conversation, or its messages were replaced since. Omit the cursor to start again',
  );
}
