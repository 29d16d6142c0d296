import * as z from 'zod';
import { Message } from '../../shared/domain/conversations/message.ts';

const head = {
  id: z.string(),
  title: z.string(),
  messageCount: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
};
const exampleHead = {
  id: 'conv_01k9m4v7d3x8qz5w2r6t0y1hbn',
  title: 'Parcels',
  messageCount: 2,
  createdAt: '2026-11-22T09:30:00.000Z',
  updatedAt: '2026-11-22T09:31:00.000Z',
};

export const ClientConversationRow = z
  .object(head)
  .meta({ id: 'ClientConversationRow', examples: [exampleHead] });

export const ClientConversation = z
  .object({
    ...head,
    messages: z
      .array(
        z.object({
          id: z.string(),
          role: z.enum(['user', 'assistant']),
          content: Message.shape.content.nullable().meta({ description: 'null if the content is lost' }),
          createdAt: z.string(),
        }),
      )
      .meta({ description: 'The newest, or those before `messagesCursor`, oldest first' }),
    messagesCursor: z.string().nullable().meta({ description: 'Leads to the messages before these' }),
  })
  .meta({
    id: 'ClientConversation',
    examples: [
      {
        ...exampleHead,
        messages: [
          { id: 'm1', role: 'user', content: 'Where is my parcel?', createdAt: exampleHead.createdAt },
          { id: 'm2', role: 'assistant', content: 'On its way', createdAt: exampleHead.updatedAt },
        ],
        messagesCursor: null,
      },
    ],
  });
