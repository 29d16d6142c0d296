import * as z from 'zod';

/** A member that OpenAI knows and this service does not. Null is what OpenAI's packages send for none. */
export const unsupported = z
  .unknown()
  .optional()
  .superRefine((value, { addIssue }) => {
    if (value == null) return;
    addIssue({
      code: 'custom',
      params: { code: 'NOT_SUPPORTED' },
      message: 'This member is not supported; leave it out',
    });
  })
  .meta({ description: 'Not supported: only null' });

const partsMax = 1_000;
const callsMax = 128;

const TextPart = z.strictObject({ type: z.literal('text'), text: z.string() });

const ImagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string().min(1).meta({ description: 'A data: URL, or an http or https URL' }),
    detail: z.enum(['auto', 'low', 'high', 'original']).nullish().meta({ description: 'Ignored' }),
  }),
});

const audioTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;
export const audioMediaType = (format: keyof typeof audioTypes) => audioTypes[format];

const AudioPart = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: z.string().min(1), format: z.enum(['wav', 'mp3']) }),
});

const FilePart = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({
    file_data: z.string().min(1).meta({ description: 'A data: URL, such as data:application/pdf;base64,…' }),
    filename: z.string().min(1).max(255).nullish(),
  }),
});

const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, AudioPart, FilePart]);
export type UserPart = z.infer<typeof UserPart>;

const textOr = <Part extends z.ZodType>(part: Part) => z.union([z.string(), z.array(part).max(partsMax)]);
const Texts = textOr(TextPart);
export type Texts = z.infer<typeof Texts>;

const RefusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });
const name = z.string().max(255).nullish().meta({ description: 'Ignored' });

const ToolCall = z.strictObject({
  id: z.string().min(1).max(255),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().min(1).max(255), arguments: z.string() }),
});

const AssistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: textOr(z.discriminatedUnion('type', [TextPart, RefusalPart])).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(ToolCall).max(callsMax).nullish(),
  name,
  // Responses have these, and callers send them back as they are.
  annotations: z.array(z.unknown()).nullish(),
  audio: unsupported,
  function_call: unsupported,
  reasoning_content: z.string().nullish(),
});
export type AssistantChatMessage = z.infer<typeof AssistantMessage>;

export const CompletionMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: Texts, name }),
  z.strictObject({ role: z.literal('user'), content: textOr(UserPart), name }),
  AssistantMessage,
  z.strictObject({ role: z.literal('tool'), content: Texts, tool_call_id: z.string().min(1).max(255) }),
]);
export type CompletionMessage = z.infer<typeof CompletionMessage>;

export const messageContentText = (content: Texts): string =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('\n');
