import { ConversationUsage } from '../../shared/domain/conversations/conversation.ts';

/** What the answers of a chat used. */
export const ConversationUsageResponse = ConversationUsage.meta({
  id: 'ConversationUsage',
  description:
    'What the answers used, with those that failed or were interrupted; null without any. `totalCost` is USD as decimal text, and null if a model call has no known price',
});
