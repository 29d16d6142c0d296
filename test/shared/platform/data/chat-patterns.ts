import { chatTurns } from '../../../../shared/domain/client-sessions/chat-turns.ts';
import {
  findSession,
  sessionRuns,
  sessionStore,
} from '../../../../shared/domain/client-sessions/client-session.ts';
import { pageToolSets } from '../../../../shared/domain/client-sessions/page-tool.ts';
import { turnLeases } from '../../../../shared/domain/client-sessions/turn-state.ts';
import {
  clientTokenStore,
  findBySurface,
  findByValue,
} from '../../../../shared/domain/client-tokens/client-token-store.ts';
import { conversationStore } from '../../../../shared/domain/conversations/conversation-store.ts';
import { feedbackLists } from '../../../../shared/domain/conversations/feedback.ts';
import { conversationLists } from '../../../../shared/domain/conversations/list-conversations.ts';
import { messagePages } from '../../../../shared/domain/conversations/message-pages.ts';
import { messageSummaries } from '../../../../shared/domain/conversations/recent-messages.ts';
import { visitorFeedback } from '../../../../shared/domain/feedback/visitor-feedback.ts';
import { productStore } from '../../../../shared/domain/products/product-store.ts';
import { surfaceEditor } from '../../../../shared/domain/surfaces/surface-editor.ts';
import { hashKey } from '../../../../shared/platform/auth/key-format.ts';
import { alternatingMessages } from '../../../support/surfaces/conversations.ts';
import type { Pattern } from './access-pattern.ts';
import { type AccessWorld, sessionPrincipal } from './access-world.ts';

const newToken = ({ scope, tenant, flow }: AccessWorld, more: { surfaceId?: string } = {}) =>
  clientTokenStore(scope).create(sessionPrincipal(tenant), {
    ...more,
    name: 'A token',
    environment: 'live',
    flowIds: [flow.id],
    agentIds: [],
    defaultFlowId: null,
    allowedOrigins: ['example.com'],
    pinToVersion: 'latest',
    config: {},
    rateLimitPerMinute: 10,
    rateLimitPerHour: 100,
    maxMessagesPerSession: 100,
    sessionIdleTimeoutMinutes: 30,
  });

async function newChatSurface({ scope, owner }: AccessWorld): Promise<string> {
  const product = await productStore(scope).create(owner, { name: 'A product' });
  const { surface } = await surfaceEditor(scope).create(product.id, { name: 'A chat', type: 'chat' });
  return surface.id;
}

const targetOf = ({ flow }: AccessWorld) => ({ kind: 'flow' as const, id: flow.id });
const allowed = () => {};

const newConversation = ({ scope, owner }: AccessWorld, tokenId = 'clienttoken_1') => {
  const client = { tokenId, flowId: null, origin: null, surfaceId: null };
  return conversationStore(scope).create(owner, { title: 'A conversation', client });
};

/** A conversation with this many messages. */
export async function longConversation(world: AccessWorld, count: number) {
  const conversation = await newConversation(world);
  return conversationStore(world.scope).update(conversation.id, { messages: alternatingMessages(count) });
}

/** How the stores of client tokens and conversations ask the table. */
async function withFeedback(world: AccessWorld) {
  const store = conversationStore(world.scope);
  const { id } = await newConversation(world);
  const { conversation } = await store.append(id, [{ id: 'm1', role: 'assistant', content: 'Hello' }]);
  const given = { messageId: 'm1', type: 'upvote' as const, rating: null, comment: null, metadata: {} };
  return { conversation, given };
}

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
  'Create a client token of a surface': {
    commands: 'BatchGetItem, 2 Query, TransactWriteItems',
    units: [3, 12],
    indexes: 'GSI1',
    run: async (world) => {
      const surfaceId = await newChatSurface(world);
      return () => newToken(world, { surfaceId });
    },
  },
  'Client tokens by their surface': {
    commands: 'Query, BatchGetItem',
    units: 2,
    run: async (world) => {
      const surfaceId = await newChatSurface(world);
      await newToken(world, { surfaceId });
      return () => findBySurface({ scopeOf: () => world.scope }, surfaceId);
    },
  },
  'Open a session of a visitor': {
    commands: 'PutItem',
    units: 1,
    run: async (world) => {
      const token = await newToken(world);
      return () => sessionStore(world.scope).open({ token, origin: null }, targetOf(world));
    },
  },
  'Continue a session of a visitor': {
    commands: 'GetItem, UpdateItem',
    units: 2,
    run: async (world) => {
      const visit = { token: await newToken(world), origin: null };
      const { id } = await sessionStore(world.scope).open(visit, targetOf(world));
      return () => sessionStore(world.scope).resume(id, visit);
    },
  },
  'Begin to answer a message of a visitor, and end': {
    commands: 'GetItem, 2 UpdateItem',
    units: 3,
    run: async (world) => {
      const token = await newToken(world);
      const { id } = await sessionStore(world.scope).open({ token, origin: null }, targetOf(world));
      const turns = chatTurns(world.scope);
      return async () => {
        const session = await findSession(world.table, id, world.scope.now());
        if (!session) throw new Error('There is no session');
        const { turnId } = await turns.begin(session, token, { interrupts: false, messages: 1 });
        await turnLeases(world.scope).end(hashKey(id), turnId);
      };
    },
  },
  'Find a run of a session': {
    commands: 'GetItem',
    units: 1,
    run: async ({ scope, flow }) => {
      const run = { hash: 'hash', executionId: 'exec_1', conversationId: 'conv_1', answerId: 'a1' };
      await scope.table.commit([
        sessionRuns(scope).insert({ ...run, target: { kind: 'flow', id: flow.id } }),
      ]);
      return () => sessionRuns(scope).find('hash', 'exec_1');
    },
  },
  'Store the tools of a page': {
    commands: 'PutItem',
    units: 1,
    run:
      async ({ scope }) =>
      () =>
        pageToolSets(scope).resolve('hash', { tools: [], fingerprint: 'one' }),
  },
  'Read the tools of a page': {
    commands: 'GetItem',
    units: 1,
    run: async ({ scope }) => {
      await pageToolSets(scope).resolve('hash', { tools: [], fingerprint: 'one' });
      return () => pageToolSets(scope).resolve('hash', { fingerprint: 'one' });
    },
  },
  'Store feedback on a message': {
    commands: 'BatchGetItem, TransactWriteItems',
    units: [4, 7],
    indexes: 'GSI2',
    run: async (world) => {
      const { conversation, given } = await withFeedback(world);
      return () => visitorFeedback(world.scope).put(conversation, given, targetOf(world));
    },
  },
  'List the feedback of a conversation': {
    commands: 'Query',
    units: 0.5,
    run: async (world) => {
      const { conversation, given } = await withFeedback(world);
      await visitorFeedback(world.scope).put(conversation, given, targetOf(world));
      return () => feedbackLists(world.scope).list(conversation.id);
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
      const by = sessionPrincipal(world.tenant);
      return () => clientTokenStore(world.scope).update(by, id, { isActive: false }, allowed);
    },
  },
  'Regenerate a client token': {
    commands: 'GetItem, TransactWriteItems',
    units: [3, 9],
    run: async (world) => {
      const { id } = await newToken(world);
      return () => clientTokenStore(world.scope).regenerate(sessionPrincipal(world.tenant), id, allowed);
    },
  },
  'Delete a client token': {
    commands: 'GetItem, TransactWriteItems',
    units: [3, 7],
    run: async (world) => {
      const { id } = await newToken(world);
      return () => clientTokenStore(world.scope).remove(sessionPrincipal(world.tenant), id);
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
    units: [8, 15, 13],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await newConversation(world);
      return () => conversationStore(world.scope).append(id, alternatingMessages(2));
    },
  },
  'Open a conversation': {
    commands: 'GetItem, Query',
    units: [2, 5],
    run: async (world) => {
      const { id } = await longConversation(world, 60);
      return async () => {
        const conversation = await conversationStore(world.scope).find(id);
        return messagePages(world.scope).readBefore(conversation, { limit: 50 });
      };
    },
  },
  'Summarise a chat, and go on with it': {
    commands: 'UpdateItem, Query',
    units: [4, 10],
    run: async (world) => {
      const conversation = await longConversation(world, 60);
      const place = { conversationId: conversation.id, generation: conversation.generation, number: 30 };
      return async () => {
        await messageSummaries(world.scope).store(place, { summary: 'x'.repeat(3_000), instructions: '' });
        const { messages } = await messagePages(world.scope).readRecent(conversation, 100);
        if (messages.length !== 29) throw new Error('The summary does not end the history');
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
      return () => conversationLists(world.scope).countByToken('clienttoken_1');
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
    units: [11, 19, 18],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await longConversation(world, 2);
      return () => conversationStore(world.scope).update(id, { messages: alternatingMessages(2) });
    },
  },
  'Delete a conversation': {
    commands: 'GetItem, TransactWriteItems',
    units: [4, 11, 8],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await newConversation(world);
      return () => conversationStore(world.scope).remove(id);
    },
  },
  'Clean up after a conversation': {
    commands: '2 Query, BatchWriteItem',
    units: [5, 11, 7.5],
    indexes: 'GSI1, GSI2',
    run: async (world) => {
      const { id } = await longConversation(world, 2);
      return () => world.clean(id);
    },
  },
};
