import type { EndpointGroup } from '../../shared/platform/http/endpoint.ts';
import { listTokenConversations } from './conversations.ts';
import { createClientToken } from './create.ts';
import { deleteClientToken } from './delete.ts';
import { getClientToken } from './get.ts';
import { getClientTokenValue } from './get-value.ts';
import { listClientTokens } from './list.ts';
import { regenerateClientToken } from './regenerate.ts';
import { updateClientToken } from './update.ts';

export const clientTokensGroup = {
  description: 'Let web pages run flows and agents, without a secret.',
  endpoints: [
    listClientTokens,
    createClientToken,
    getClientToken,
    updateClientToken,
    deleteClientToken,
    getClientTokenValue,
    regenerateClientToken,
    listTokenConversations,
  ],
} as const satisfies EndpointGroup;
