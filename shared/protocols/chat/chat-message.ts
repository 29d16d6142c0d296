import * as z from 'zod';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import { MessageFilePart, MessageImagePart, MessageTextPart } from '../../domain/conversations/message.ts';

export const MessageId = z.string().min(1).max(255).refine(wellFormed, wellFormedOnly);

/** What a model thought, in the history of a page. It is no part of a message here. */
const ReasoningPart = z.object({ type: z.literal('reasoning'), text: z.string() });

const Part = z.discriminatedUnion('type', [
  MessageTextPart,
  MessageImagePart,
  MessageFilePart,
  ReasoningPart,
]);

export const ChatMessage = z.object({
  id: MessageId.optional(),
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string().min(1), z.array(Part).min(1).max(100)]),
});

export type ChatMessage = z.infer<typeof ChatMessage>;
