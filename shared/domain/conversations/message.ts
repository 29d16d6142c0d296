import * as z from 'zod';

/** Where a file comes from. */
export const fileSource = 'A data: URL, an http or https URL (also one of a stored asset), or base64 text';

const mimeType = z
  .string()
  .max(255)
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/, 'Expected a media type like image/png');

export const MessageTextPart = z.strictObject({ type: z.literal('text'), text: z.string() });

export const MessageImagePart = z.strictObject({
  type: z.literal('image'),
  image: z.string().min(1).meta({ description: fileSource }),
  mimeType: mimeType.optional().meta({ description: 'Required for base64 text' }),
});

export const MessageFilePart = z.strictObject({
  type: z.literal('file'),
  data: z.string().min(1).meta({ description: fileSource }),
  filename: z.string().min(1).max(255),
  mimeType,
});

export const ContentPart = z.discriminatedUnion('type', [MessageTextPart, MessageImagePart, MessageFilePart]);
export type ContentPart = z.infer<typeof ContentPart>;

export const Message = z
  .strictObject({
    role: z.enum(['user', 'assistant', 'system']),
    content: z.union([z.string(), z.array(ContentPart).max(100)]),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

export const messageText = ({ content }: Pick<Message, 'content'>): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
