import { ifMissing, notFound } from '../../shared/core/errors/errors.ts';
import { conversationStore } from '../../shared/domain/conversations/conversation-store.ts';
import { visitorFeedback } from '../../shared/domain/feedback/visitor-feedback.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';
import { bySession, sessionContext } from '../../shared/protocols/chat/visitor.ts';
import { StoredFeedback, VisitorFeedbackBody } from './feedback-schemas.ts';

export const sendClientFeedback = defineEndpoint({
  id: 'client-chat.feedback',
  method: 'POST',
  path: '/v1/client/feedback',
  permission: 'public',
  scope: bySession,
  anyOrigin: true,
  summary: 'Send feedback of a visitor',
  description:
    'On a message of the conversation of the session (upvote, downvote, copy), or on the conversation (csat: `rating` 1 to 5; nps: 0 to 10). The last one wins: a vote replaces the one before, each other type the former of its type. `GET /v1/conversations/{id}` and `GET /v1/feedback` show it to the tenant. It does not count for the messages of the token. 401 and 403 as for messages. 404 without a conversation, and for a message that it does not have.',
  body: VisitorFeedbackBody,
  response: { kind: 'json', bodies: { 201: StoredFeedback } },
  errors: [400, 401, 403, 404],
  needs: { visit: sessionContext, conversations: conversationStore, feedback: visitorFeedback },

  async handle({ body }, { visit, conversations, feedback }) {
    const { conversationId } = visit.session;
    const found = conversationId && (await conversations.find(conversationId).catch(ifMissing(undefined)));
    if (!found) throw notFound('Conversation');
    const { messageId = null, type, rating = null, comment = null, metadata = {} } = body;
    const draft = { type, rating, comment, metadata };
    for (const id of idsOf(messageId)) {
      const feedbackId = await feedback.put(found, { ...draft, messageId: id }, visit.session.target);
      if (feedbackId) return { success: true as const, feedbackId, message: 'Thank you' };
    }
    throw notFound('Message');
  },
});

/** The widget names the second and later texts of an answer `<id of the answer>_<id of the text>`. */
function idsOf(messageId: string | null): (string | null)[] {
  const end = messageId?.lastIndexOf('_text_') ?? -1;
  return messageId !== null && end > 0 ? [messageId, messageId.slice(0, end)] : [messageId];
}

export const handler = toLambda(sendClientFeedback);
