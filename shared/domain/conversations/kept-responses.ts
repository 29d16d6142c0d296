/**
 * Stores what was said in a response of the Responses API, so that a later response can continue it by its id.
 * Each response has its own messages and names the one before it, so a long line is stored once; only the first one of
 * a conversation has all that came before. Reading walks back through the line: one of over 5 MB is refused with 400,
 * and an expired response is missing silently, with all before it.
 * The id contains the conversation's, so one request finds both. `shared/protocols/openai/responses` is the only user.
 */
import * as z from 'zod';
import { invalidAt } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import { decode, defineEntity, type ItemOf } from '../../platform/data/entity.ts';
import { countPayloadBytes, PayloadRef, payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import {
  type Conversation,
  conversationEntity,
  conversationExpiry,
  conversationPartition,
  conversationPayloads,
} from './conversation.ts';

const responsePrefix = 'RESPONSE#';

/**
 * What was said in a response, for the responses that continue it. Goes with its conversation. The first one of a conversation has
 * all that was said up to it.
 */
const keptResponseEntity = defineEntity({
  type: 'keptResponse',
  schema: z.object({
    id: z.string(),
    conversationId: z.string(),
    /** The response of this conversation that it continues. Earlier releases stored none, and all messages. */
    previousId: z.string().optional(),
    messages: PayloadRef,
    /** Of the conversation, with those of this response. */
    messageCount: z.int(),
    ttl: z.int().optional(),
  }),
  key: ({ id, conversationId }: { id: string; conversationId: string }) => ({
    PK: conversationPartition(conversationId),
    SK: `${responsePrefix}${id}`,
  }),
});

export interface KeptResponse {
  id: string;
  conversation: Conversation;
  /** All up to it, and its own. */
  messages: unknown[];
  /** Whether nothing was added to the conversation since. */
  isLast: boolean;
}

type Stored = ItemOf<typeof keptResponseEntity>;

/** What a request may have, so that no history is too long for a request that has it. */
const historyBytesMax = 5_000_000;

const part = '[0-7][0-9a-hjkmnp-tv-z]{25}';
const idForm = new RegExp(`^resp_(${part})${part}$`);

/** The id names its conversation and its run, so that one request finds it. */
export const toResponseId = (conversationId: string, runId: string) =>
  `resp_${conversationId.slice(-26)}${runId.slice(-26)}`;

export const keptResponses = /* @__PURE__ */ using(
  ['table:write', payloadStore, conversationExpiry],
  (scope: Scope) => {
    const { table } = scope;
    const payloads = payloadStore(scope, conversationPayloads);
    const expiry = conversationExpiry(scope);
    return {
      /** @returns undefined if there is none, or its conversation was deleted @throws 400 if the history is too long */
      async find(id: string): Promise<KeptResponse | undefined> {
        const [, ofConversation] = idForm.exec(id) ?? [];
        if (ofConversation === undefined) return undefined;
        const conversationId = `conv_${ofConversation}`;
        const keys = [
          conversationEntity.key({ id: conversationId }),
          keptResponseEntity.key({ id, conversationId }),
        ];
        const [first, second] = await table.getMany(keys, { consistent: true });
        if (!first || !second) return undefined;
        const conversation = decode(conversationEntity, first);
        const last = decode(keptResponseEntity, second);
        const line = last.previousId === undefined ? [last] : await readLine(last);
        const messages = await Promise.all(line.map((each) => payloads.fetch(each.messages)));
        const isLast = conversation.messageCount === last.messageCount;
        return { id, conversation, messages: messages.flat(), isLast };
      },

      /** @param messages Its own. @param history All before them. @param previous The response that it continues. */
      async keep(
        id: string,
        { id: conversationId, messageCount }: Conversation,
        {
          messages,
          history,
          previous,
        }: { messages: unknown[]; history: unknown[]; previous?: KeptResponse | undefined },
      ): Promise<void> {
        const isInLine = previous?.conversation.id === conversationId;
        const content = isInLine ? messages : [...history, ...messages];
        const stored = await payloads.offload(`${conversationId}/${id}`, content);
        const response = { id, conversationId, messages: stored, messageCount, ...expiry() };
        const item = { ...response, ...(isInLine && { previousId: previous.id }) };
        await table.commit([table.writes.put(keptResponseEntity, item)]);
      },
    };

    /** From the first response of the conversation to this one, without those that have expired. Reads them newest first. */
    async function readLine(last: Stored): Promise<Stored[]> {
      const line: Stored[] = [];
      let next: string | undefined = last.id;
      let bytes = 0;
      const partition = conversationPartition(last.conversationId);
      const upToIt = { from: responsePrefix, to: `${responsePrefix}${last.id}` };
      for await (const items of table.pages({ partition, ...upToIt, newestFirst: true, consistent: true })) {
        for (const each of items.map((item) => decode(keptResponseEntity, item))) {
          if (each.id !== next) continue;
          line.unshift(each);
          next = each.previousId;
          bytes += countPayloadBytes(each.messages);
          if (bytes > historyBytesMax) throw createTooLongError();
        }
        if (next === undefined) break;
      }
      return line;
    }
  },
);

const createTooLongError = () =>
  invalidAt(
    'previous_response_id',
    'TOO_LARGE',
    `What was said before has more than ${historyBytesMax} bytes. Begin without previous_response_id, with a summary in input`,
  );
