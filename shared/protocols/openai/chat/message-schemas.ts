import * as z from 'zod';
import { acceptDropped } from '../dropped-members.ts';

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

const ofPart = acceptDropped('part');

const TextPart = z.strictObject({ type: z.literal('text'), text: z.string(), ...ofPart });

const ImageUrl = z.string().min(1).meta({ description: 'A data: URL, or an http or https URL' });

const ImagePart = z.strictObject({
  type: z.literal('image_url'),
  // Some clients send the URL itself.
  image_url: z.union([
    z.strictObject({ url: ImageUrl, ...acceptDropped('image') }),
    ImageUrl.transform((url) => ({ url })),
  ]),
  ...ofPart,
});

const audioTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;
export const audioMediaType = (format: keyof typeof audioTypes) => audioTypes[format];

const AudioPart = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: z.string().min(1), format: z.enum(['wav', 'mp3']) }),
  ...ofPart,
});

const FilePart = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({
    file_data: z.string().min(1).meta({ description: 'A data: URL, such as data:application/pdf;base64,…' }),
    filename: z.string().min(1).max(255).nullish(),
    file_id: unsupported,
  }),
  ...ofPart,
});

const UserPart = z.discriminatedUnion('type', [TextPart, ImagePart, AudioPart, FilePart]);
export type UserPart = z.infer<typeof UserPart>;

const textOr = <Part extends z.ZodType>(part: Part) => z.union([z.string(), z.array(part).max(partsMax)]);
const Texts = textOr(TextPart);
export type Texts = z.infer<typeof Texts>;

const RefusalPart = z.strictObject({ type: z.literal('refusal'), refusal: z.string(), ...ofPart });
const ThoughtPart = z
  .looseObject({ type: z.enum(['thinking', 'redacted_thinking', 'reasoning', 'reasoning_content']) })
  .meta({ description: 'Ignored: thoughts of a model, which is not asked to go on with them' });

const CalledFunction = z.strictObject({
  name: z.string().min(1).max(255),
  // Clients leave out the arguments of a tool that has none.
  arguments: z.string().nullish(),
  ...acceptDropped('calledFunction'),
});

const ToolCall = z.strictObject({
  id: z.string().min(1).max(255),
  type: z.literal('function').nullish(),
  function: CalledFunction,
  ...acceptDropped('toolCall'),
});

const ofMessage = acceptDropped('message');

const AssistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: textOr(z.discriminatedUnion('type', [TextPart, RefusalPart, ThoughtPart])).nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(ToolCall).max(callsMax).nullish(),
  audio: unsupported,
  function_call: CalledFunction.nullish().meta({ description: 'Deprecated: a call of one of `functions`' }),
  ...ofMessage,
  ...acceptDropped('assistantMessage'),
});
export type AssistantChatMessage = z.infer<typeof AssistantMessage>;

export const RequestMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: Texts, ...ofMessage }),
  z.strictObject({ role: z.literal('user'), content: textOr(UserPart), ...ofMessage }),
  AssistantMessage,
  z.strictObject({
    role: z.literal('tool'),
    content: Texts.nullish().meta({ description: 'Of a tool without a result: null, or left out' }),
    tool_call_id: z.string().min(1).max(255),
    ...ofMessage,
    ...acceptDropped('toolMessage'),
  }),
  z
    .strictObject({
      role: z.literal('function'),
      content: Texts.nullish(),
      ...ofMessage,
      ...acceptDropped('toolMessage'),
      name: z.string().min(1).max(255),
    })
    .meta({ description: 'Deprecated: the result of the `function_call` in the message before it' }),
]);
export type RequestMessage = z.infer<typeof RequestMessage>;

/** In the form of today. */
export type CompletionMessage = Exclude<RequestMessage, { role: 'function' }>;

export const messageContentText = (content: Texts | null | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n');
