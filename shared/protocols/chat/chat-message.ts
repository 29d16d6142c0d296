/**
 * The forms of a chat that its page sends and sees: a message with its attachments, how the chat is displayed, and a
 * conversation as its visitor may read it. Nothing here reads or writes what is stored.
 */
import * as z from 'zod';
import { decodeBase64 } from '../../adapters/assets/base64.ts';
import { type ErrorDetail, invalid, invalidAt } from '../../core/errors/errors.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import type { Conversation } from '../../domain/conversations/conversation.ts';
import { MessageFilePart, MessageImagePart, MessageTextPart } from '../../domain/conversations/message.ts';
import type { MessagePage } from '../../domain/conversations/message-pages.ts';
import { filesMax } from '../../execution/model-calls/to-model-messages.ts';

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

/** @throws 400 for each file of a message that is not in it, and for more files than a model takes. @param index The place of the message in the request. */
export function assertAttached({ content }: ChatMessage, index: number): void {
  if (typeof content === 'string') return;
  const problems = content.flatMap((part, place): ErrorDetail[] => {
    if (part.type !== 'image' && part.type !== 'file') return [];
    const member = part.type === 'image' ? 'image' : 'data';
    const message = findFileProblem(part.type === 'image' ? part.image : part.data, part.mimeType);
    const path = `messages.${index}.content.${place}.${member}`;
    return message === undefined ? [] : [{ path, code: 'INVALID_FORMAT', message }];
  });
  if (problems.length > 0) throw invalid(problems);
  const count = content.filter(({ type }) => type === 'image' || type === 'file').length;
  if (count > filesMax) {
    const message = `A message has at most ${filesMax} images and files`;
    throw invalidAt(`messages.${index}.content`, 'TOO_BIG', message);
  }
}

function findFileProblem(source: string, mimeType: string | undefined): string | undefined {
  if (/^\s*[a-z][a-z0-9+.-]*:/i.test(source) && !/^\s*data:/i.test(source)) {
    // D83
    return 'Attach the file itself as a data: URL. URLs of other kinds are not fetched';
  }
  try {
    const { bytes, type } = decodeBase64(source);
    if (bytes.length === 0) return 'The file is empty';
    return type || mimeType
      ? undefined
      : 'The file has no media type. Send a data: URL that has one, or mimeType';
  } catch (error) {
    if (error instanceof StepError) return 'Expected a data: URL in base64, or base64 text';
    throw error;
  }
}

export const ChatDisplay = z.object({
  placeholder: z.string().optional(),
  welcomeMessage: z.string().nullable().optional(),
  theme: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Absent unless it is an object: widgets read its members' }),
});

type Members = Record<string, unknown>;

/** From the token's config, else the surface's behavior. Other members, and those of another type, stay private. */
export function chatDisplay(behavior: Members, config: Members): z.infer<typeof ChatDisplay> {
  const members = Object.entries(ChatDisplay.shape).flatMap(([name, schema]) => {
    const values = [config[name], behavior[name]].map((value) => schema.safeParse(value).data);
    const value = values.find((each) => each !== undefined);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(members);
}

export const conversationRow = ({ id, title, messageCount, createdAt, updatedAt }: Conversation) => ({
  id,
  title,
  messageCount,
  createdAt,
  updatedAt,
});

/** What a visitor sees of a conversation. System messages are the tenant's. */
export const toShownConversation = (conversation: Conversation, { messages, cursor }: MessagePage) => ({
  ...conversationRow(conversation),
  messages: messages.flatMap(({ role, ...message }) => (role === 'system' ? [] : [{ role, ...message }])),
  messagesCursor: cursor,
});
