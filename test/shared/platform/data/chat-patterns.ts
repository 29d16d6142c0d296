import { clientTokenStore } from '../../../../shared/domain/client-tokens/client-token-store.ts';
import { findByValue } from '../../../../shared/domain/client-tokens/find-by-value.ts';
import { conversationStore } from '../../../../shared/domain/conversations/conversation-store.ts';
import { conversationLists } from '../../../../shared/domain/conversations/list-conversations.ts';
import { messagePages } from '../../../../shared/domain/conversations/message-pages.ts';
import { messagesOf } from '../../../support/conversations.ts';
import type { Pattern } from './access-pattern.ts';
import { type AccessWorld, sessionOf } from './access-world.ts';

const newToken = ({ scope, tenant, flow }: AccessWorld) =>
  clientTokenStore(scope).create(sessionOf(tenant), {
    ...{ name: 'A token', environment: 'live', flowIds: [flow.id], agentIds: [], defaultFlowId: null },
    ...{ allowedOrigins: ['example.com'], pinToVersion: 'latest', config: {} },
    ...{ rateLimitPerMinute: 10, rateLimitPerHour: 100, maxMessagesPerSession: 100 },
    sessionIdleTimeoutMinutes: 30,
  });

const allowed = () => {};

const newConversation = ({ scope, owner }: AccessWorld, tokenId = 'clienttoken_1') => {
  const client = { tokenId, flowId: null, origin: null, surfaceId: null };
  return conversationStore(scope).create(owner, { title: 'A conversation', client });
};

/** A conversation with this many messages. */
export async function conversationOf(world: AccessWorld, count: number) {
  const conversation = await newConversation(world);
  return conversationStore(world.scope).update(conversation.id, { messages: messagesOf(count) });
}

/** How the stores of client tokens and conversations ask the table. */
export const chatPatterns: Record<string, Pattern> = {
  'Create a client token': {
    commands: 'BatchGetItem, Query, TransactWriteItems',
    units: [1.5, 7],
    run: (world) => () => newToken(world),
  },
  'Client token by its value': {
    commands: '2 GetItem',
    units: 2,
    run: async (world) => {
      const { value, id } = await newToken(world);
      return async () => {
        await findByValue(world.table, value);
        await clientTokenStore(world.scope).find(id);
      };
    },
  },
  'List client tokens': {
    commands: 'Query',
    units: 1,
    run: async (world) => {
      await newToken(world);
      return () => clientTokenStore(world.scope).list();
    },
  },
  'Change a client token': {
    commands: 'GetItem, TransactWriteItems',
    units: [3, 5],
    run: async (world) => {
      const { id } = await newToken(world);
      const by = sessionOf(world.tenant);
      return () => clientTokenStore(world.scope).update(by, id, { isActive: false }, allowed);
    },
  },
  'Regenerate a client token': {
    commands: 'GetItem, TransactWriteItems',
    units: [3, 9],
    run: async (world) => {
      const { id } = await newToken(world);
      return () => clientTokenStore(world.scope).regenerate(sessionOf(world.tenant), id, allowed);
    },
  },
  'Delete a client token': {
    commands: 'GetItem, TransactWriteItems',
    units: [3, 7],
    run: async (world) => {
      const { id } = await newToken(world);
      return () => clientTokenStore(world.scope).remove(sessionOf(world.tenant), id);
    },
  },
  'Create a conversation': {
    commands: 'PutItem',
    units: 3,
    indexes: 'GSI1, GSI2',
    run: (world) => () => newConversation(world),
  },
  'Add two messages to a conversation': {
    commands: 'GetItem, TransactWriteItems',
    units: [8, 15],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await newConversation(world);
      return () => conversationStore(world.scope).append(id, messagesOf(2));
    },
  },
  'Open a conversation': {
    commands: 'GetItem, Query',
    units: [2, 5],
    run: async (world) => {
      const { id } = await conversationOf(world, 60);
      return async () => {
        const conversation = await conversationStore(world.scope).find(id);
        return messagePages(world.scope).before(conversation, { limit: 50 });
      };
    },
  },
  'List conversations': {
    commands: 'Query',
    units: 0.5,
    indexes: 'GSI1',
    run: async (world) => {
      await newConversation(world);
      return () => conversationLists(world.scope).list({}, world.page());
    },
  },
  'List the conversations of a client token or an owner': {
    commands: 'Query',
    units: 0.5,
    indexes: 'GSI2',
    run: async (world) => {
      await newConversation(world);
      const filter = { clientTokenId: 'clienttoken_1' };
      return () => conversationLists(world.scope).list(filter, world.page());
    },
  },
  'Count the conversations of a client token': {
    commands: 'Query',
    units: 0.5,
    indexes: 'GSI2',
    run: async (world) => {
      await newConversation(world);
      return () => conversationLists(world.scope).countOf('clienttoken_1');
    },
  },
  'Rename a conversation': {
    commands: 'GetItem, PutItem',
    units: 4,
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await newConversation(world);
      return () => conversationStore(world.scope).update(id, { title: 'Other' });
    },
  },
  'Replace the messages of a conversation': {
    commands: 'GetItem, TransactWriteItems, PutItem, 2 Query, 2 BatchWriteItem',
    units: [11, 19],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await conversationOf(world, 2);
      return () => conversationStore(world.scope).update(id, { messages: messagesOf(2) });
    },
  },
  'Delete a conversation': {
    commands: 'GetItem, TransactWriteItems',
    units: [4, 11],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await newConversation(world);
      return () => conversationStore(world.scope).remove(id);
    },
  },
  'Clean up after a conversation': {
    commands: 'Query, BatchWriteItem',
    units: [5, 11],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await conversationOf(world, 2);
      return () => world.clean(id);
    },
  },
};
