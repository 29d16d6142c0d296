import * as z from 'zod';
import { resourceId } from '../../shared/core/ids.ts';
import { VariableName } from '../../shared/domain/flows/steps/common-config.ts';
import { ChatDisplay, ChatMessage, MessageId } from '../../shared/protocols/chat/chat-message.ts';
import { toolMembers } from '../../shared/protocols/chat/page-tools.ts';
import { ClientConversation } from './conversation-schemas.ts';

export const SessionId = z.string().min(1).max(255).meta({
  description: 'The id that init returned. It is the credential of the visitor: keep it in the page',
});

/** Pages of other people's widgets call: members that this service does not know are ignored. */
export const InitBody = z
  .object({
    token: z.string().min(1).max(255).optional().meta({ description: 'The value of the client token' }),
    surfaceId: resourceId('surface')
      .optional()
      .meta({ description: 'Instead of a token: a chat surface with a token that allows the page' }),
    sessionId: SessionId.optional().meta({ description: 'The session to continue' }),
    flowId: z.string().min(1).max(255).optional().meta({ description: 'The id of a flow or an agent' }),
  })
  .refine(({ token, surfaceId }) => (token === undefined) !== (surfaceId === undefined), {
    message: 'Give either token or surfaceId',
    path: ['token'],
  })
  .meta({
    id: 'ClientInit',
    examples: [{ token: 'ct_live_0Zq7sZ5kT1mJ8vB3nX6cL9wR2yH4gF0dS5aQ8uE1iO7pKx3m9Tb2' }],
  });

export const OpenedSession = z
  .object({
    sessionId: z.string(),
    expiresAt: z.string().meta({ description: 'Each message extends it' }),
    flow: z
      .object({ id: z.string(), name: z.string().nullable(), description: z.string().nullable() })
      .meta({ description: 'The flow or the agent that responds' }),
    config: ChatDisplay,
    conversation: ClientConversation.nullable().meta({ description: 'Of a session that continues' }),
    executionId: z.string().nullable().meta({
      description: 'Of the answer that is being given, or that waits for the page',
    }),
  })
  .meta({
    id: 'ClientSession',
    examples: [
      {
        sessionId: 'cs_0Zq7sZ5kT1mJ8vB3nX6cL9wR2yH4gF0dS5aQ8uE1iO7pKx3m9Tb2',
        expiresAt: '2026-01-01T12:30:00.000Z',
        flow: { id: 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn', name: 'Help', description: null },
        config: { placeholder: 'Ask us', welcomeMessage: 'Hello!' },
        conversation: null,
        executionId: null,
      },
    ],
  });

export const ChatBody = z
  .object({
    sessionId: SessionId,
    messages: z
      .array(ChatMessage)
      .min(1)
      .max(1_000)
      .refine((messages) => messages.at(-1)?.role === 'user', 'The last message must be one of the user')
      .meta({
        description: 'The last one is the new message. The others are ignored: the service has the history',
      }),
    assistantMessageId: MessageId.optional().meta({
      description: 'The id of the answer in the conversation',
    }),
    inputs: z
      .record(VariableName, z.unknown())
      .refine((inputs) => Object.keys(inputs).length <= 100, 'At most 100 inputs')
      .optional()
      .meta({ description: 'Variables of the flow, or of the system prompt of the agent' }),
    metadata: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Of the conversation, with its first message' }),
    submitMode: z.enum(['normal', 'interrupt']).default('normal').meta({
      description: 'While another message is answered: wait for its answer, or end it',
    }),
    ...toolMembers,
    turnId: z.string().min(1).max(128).optional().meta({ description: 'For the page’s own use' }),
  })
  .meta({
    id: 'ClientChat',
    examples: [
      {
        sessionId: 'cs_0Zq7sZ5kT1mJ8vB3nX6cL9wR2yH4gF0dS5aQ8uE1iO7pKx3m9Tb2',
        messages: [{ id: 'm1', role: 'user', content: 'What do you sell?' }],
      },
    ],
  });
