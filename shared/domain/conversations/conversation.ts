import { createHash } from 'node:crypto';
import * as z from 'zod';
import {
  addSpending,
  formatCost,
  noSpending,
  parseCost,
  type Spending,
} from '../../adapters/ports/spending.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { jsonText } from '../../platform/data/json-text.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** What the answers of a conversation used, all together. */
export const ConversationUsage = z.object({
  inputTokens: z.int(),
  outputTokens: z.int(),
  /** USD as decimal text; null if a model call has no known price. */
  totalCost: z.string().nullable(),
});
type ConversationUsage = z.infer<typeof ConversationUsage>;

/** @param run What a run of it took. */
export function addUsage(before: ConversationUsage | undefined, run: Spending): ConversationUsage {
  const { totalCost = '0', ...tokens } = before ?? {};
  const sum = addSpending({ ...noSpending, ...tokens, ...parseCost(totalCost) }, run);
  return { inputTokens: sum.inputTokens, outputTokens: sum.outputTokens, totalCost: formatCost(sum) };
}

export const conversationSources = ['app', 'client_token'] as const;

/** A conversation without its messages, which are items of their own. */
export const Conversation = z.object({
  id: z.string(),
  /** Incremented with each write, to detect concurrent changes. */
  revision: z.int(),
  userId: z.string(),
  organizationId: z.string().nullable(),
  title: z.string(),
  /** The title and the first message in lower case, for the substring search of lists. */
  search: z.string(),
  source: z.enum(conversationSources),
  /** Whose it is, as the tenant's application names its users. Null for a client token's. */
  ownerId: z.string().nullable(),
  modelId: z.string().nullable(),
  systemPrompt: z.string().nullable(),
  metadata: jsonText<Record<string, unknown>>(),
  clientTokenId: z.string().nullable(),
  surfaceId: z.string().nullable(),
  flowId: z.string().nullable(),
  origin: z.string().nullable(),
  /** The beginning of the first message of a user. */
  firstMessage: z.string().nullable(),
  /** How many messages were added; the number of the next one. */
  messageCount: z.int(),
  /** Of the chat of a page; absent before its first answer, and without one. */
  usage: ConversationUsage.optional(),
  /** Names the current messages. Replacing all messages starts another generation; later ones sort after earlier ones. */
  generation: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  /** The expiry in Unix seconds, if the deployment limits retention. */
  ttl: z.int().optional(),
});
export type Conversation = z.infer<typeof Conversation>;

export const toStoredConversation = (
  conversation: Omit<Conversation, 'search'>,
): z.input<typeof Conversation> => ({
  ...conversation,
  search: composeSearchText(conversation),
  metadata: JSON.stringify(conversation.metadata),
});

export const composeSearchText = ({ title, firstMessage }: Pick<Conversation, 'title' | 'firstMessage'>) =>
  `${title}\n${firstMessage ?? ''}`.toLowerCase();

export const conversationPartition = (id: string) => tenantPartition(`CONVERSATION#${id}`);
export const conversationsPartition = tenantPartition('CONVERSATIONS');
export const conversationsOfTokenPartition = (clientTokenId: string) =>
  tenantPartition(`CLIENTTOKEN#${clientTokenId}#CONVERSATIONS`);
export const conversationsOfOwnerPartition = (ownerId: string) =>
  tenantPartition(`OWNER#${sha256(ownerId)}#CONVERSATIONS`);

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

export const conversationEntity = defineEntity({
  type: 'conversation',
  noun: 'conversation',
  schema: Conversation,
  key: ({ id }: { id: string }) => ({ PK: conversationPartition(id), SK: 'CONVERSATION' }),
  index: ({ id, clientTokenId, ownerId }) => ({
    PK1: conversationsPartition,
    SK1: id,
    ...(clientTokenId
      ? { PK2: conversationsOfTokenPartition(clientTokenId), SK2: id }
      : ownerId && { PK2: conversationsOfOwnerPartition(ownerId), SK2: id }),
  }),
  summary: [
    ...(['title', 'search', 'source', 'ownerId', 'modelId', 'clientTokenId', 'surfaceId', 'flowId'] as const),
    ...(['origin', 'firstMessage', 'messageCount', 'usage', 'createdAt', 'updatedAt'] as const),
  ],
});

/** Where payloads of conversations are, so that a lifecycle rule of the bucket can expire them. */
export const conversationPayloads = 'conversations/';

/** How long conversations and messages are kept after they are written; forever without a setting. */
export const conversationExpiry = /* @__PURE__ */ using(
  ['conversation-retention'],
  ({ now }: Pick<Scope, 'now'>) =>
    (): { ttl?: number } => {
      const days = Number(process.env.CONVERSATION_RETENTION_DAYS || 0);
      return days > 0 ? { ttl: unixSeconds(now()) + days * 86_400 } : {};
    },
);
