import type { Conversation } from '../../domain/conversations/conversation.ts';
import type { MessagePage } from '../../domain/conversations/message-pages.ts';

export const conversationRow = ({ id, title, messageCount, createdAt, updatedAt }: Conversation) => ({
  id,
  title,
  messageCount,
  createdAt,
  updatedAt,
});

/** What a visitor sees of a conversation. System messages are the tenant's. */
export const toShownConversation = (conversation: Conversation, { messages, cursor }: MessagePage) => ({
  ...conversationRow(conversation),
  messages: messages.flatMap(({ role, ...message }) => (role === 'system' ? [] : [{ role, ...message }])),
  messagesCursor: cursor,
});
