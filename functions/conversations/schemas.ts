import * as z from 'zod';
import { type ErrorDetail, invalid } from '../../shared/core/errors/errors.ts';
import { resourceId } from '../../shared/core/ids.ts';
import { nameUpTo, wellFormed, wellFormedOnly } from '../../shared/core/name.ts';
import { Message } from '../../shared/domain/conversations/message.ts';
import { wholeNumber } from '../../shared/platform/data/lists/query-values.ts';

export const ConversationParams = z.object({ id: resourceId('conv') });

const messagesMax = 1_000;
const pageMax = 200;

/** An id of the caller's. */
const boundedText = (charactersMax: number) =>
  z.string().min(1).max(charactersMax).refine(wellFormed, wellFormedOnly);

const members = {
  title: nameUpTo(500),
  modelId: boundedText(255).nullable().optional(),
  ownerId: boundedText(255).nullable().optional().meta({
    description: 'Whose conversation it is, as your application names its users',
  }),
  systemPrompt: z.string().refine(wellFormed, wellFormedOnly).nullable().optional(),
};
const Metadata = z.record(z.string(), z.unknown());

export const CreateConversationBody = z
  .strictObject({ ...members, title: members.title.default('New Chat'), metadata: Metadata.default({}) })
  .meta({ examples: [{ title: 'Parcels', ownerId: 'user-17' }] });

const GivenMessage = Message.extend({
  id: boundedText(255),
  createdAt: z.iso.datetime({ offset: true }).optional(),
});

export const UpdateConversationBody = z
  .strictObject({
    ...members,
    title: members.title.optional(),
    metadata: Metadata.nullable().optional(),
    messages: z
      .array(GivenMessage)
      .max(messagesMax)
      .optional()
      .meta({ description: 'Replaces all messages. Their ids are yours, and unique in the conversation' }),
  })
  .meta({ examples: [{ title: 'Parcels and returns' }] });

/** @throws 400 that names each repeated id. */
export function assertUniqueIds(messages: readonly { id: string }[] = []): void {
  const uniqueIds = new Set<string>();
  const repeated = messages.flatMap(({ id }, index): ErrorDetail[] => {
    if (!uniqueIds.has(id)) {
      uniqueIds.add(id);
      return [];
    }
    const message = `Another message has the id ${id}`;
    return [{ path: `messages.${index}.id`, code: 'DUPLICATE_ID', message }];
  });
  if (repeated.length > 0) throw invalid(repeated);
}

export const MessagesQuery = z.object({
  messagesLimit: wholeNumber(1, pageMax)
    .default(50)
    .meta({ description: `The most messages of the response, 1 to ${pageMax}, default 50` }),
  messagesCursor: z
    .string()
    .optional()
    .meta({ description: 'The messagesCursor of an earlier response: returns the messages before those' }),
});
