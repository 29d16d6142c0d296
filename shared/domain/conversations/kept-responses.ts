import * as z from 'zod';
import { using } from '../../platform/aws/uses.ts';
import { decode, defineEntity } from '../../platform/data/entity.ts';
import { PayloadRef, payloadStore } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Conversation, conversationEntity, conversationPartition } from './conversation.ts';
import { conversationExpiry, conversationPayloads } from './retention.ts';

/** What was said up to a response and in it, for the response that continues it. Goes with its conversation. */
const keptResponseEntity = defineEntity({
  type: 'keptResponse',
  schema: z.object({
    id: z.string(),
    conversationId: z.string(),
    messages: PayloadRef,
    /** Of the conversation, with those of this response. */
    messageCount: z.int(),
    ttl: z.int().optional(),
  }),
  key: ({ id, conversationId }: { id: string; conversationId: string }) => ({
    PK: conversationPartition(conversationId),
    SK: `RESPONSE#${id}`,
  }),
});

export interface KeptResponse {
  conversation: Conversation;
  messages: unknown;
  /** Whether nothing was added to the conversation since. */
  isLast: boolean;
}

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
      /** @returns undefined if there is none, or its conversation was deleted */
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
        const { messages, messageCount } = decode(keptResponseEntity, second);
        const isLast = conversation.messageCount === messageCount;
        return { conversation, messages: await payloads.fetch(messages), isLast };
      },

      async keep(
        id: string,
        { id: conversationId, messageCount }: Conversation,
        messages: unknown,
      ): Promise<void> {
        const stored = await payloads.offload(`${conversationId}/${id}`, messages);
        const response = { id, conversationId, messages: stored, messageCount, ...expiry() };
        await table.commit([table.writes.put(keptResponseEntity, response)]);
      },
    };
  },
);
