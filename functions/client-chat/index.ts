import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { approveClientCall } from './approve.ts';
import { getClientConversation } from './conversation.ts';
import { listClientConversations } from './conversations.ts';
import { followClientAnswer } from './events.ts';
import { sendClientFeedback } from './feedback.ts';
import { openClientSession } from './init.ts';
import { resumeClientAnswer } from './resume.ts';
import { sendClientMessage } from './send.ts';

export const clientChatGroup = {
  description: 'The chat of web pages with a client token.',
  endpoints: [
    openClientSession,
    sendClientMessage,
    resumeClientAnswer,
    approveClientCall,
    followClientAnswer,
    sendClientFeedback,
    listClientConversations,
    getClientConversation,
  ],
} as const satisfies EndpointGroup;
