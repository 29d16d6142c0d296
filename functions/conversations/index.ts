import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { createConversation } from './create.ts';
import { deleteConversation } from './delete.ts';
import { exportConversation } from './export.ts';
import { getConversation } from './get.ts';
import { listConversations } from './list.ts';
import { updateConversation } from './update.ts';

export const conversationsGroup = {
  description: 'Store the messages of chats.',
  endpoints: [
    listConversations,
    createConversation,
    getConversation,
    updateConversation,
    deleteConversation,
    exportConversation,
  ],
} as const satisfies EndpointGroup;
