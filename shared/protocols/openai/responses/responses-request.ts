/**
 * The schema of a request to OpenAI's Responses API: what is accepted, what is ignored, and what is refused with a
 * reason.
 * Objects are strict: an unknown member is an error, except those that `acceptDropped` names because clients send back
 * what they received. Members that would change the answer and have no effect here are `unsupported`; members without
 * an effect are described as ignored.
 * `functions/openai/respond.ts` validates with it; `respond.ts` beside it reads the result. The schemas of the response are in
 * `response-schemas.ts`; what chat completions have too is in `chat/`.
 */
import * as z from 'zod';
import {
  FunctionDefinition,
  JsonFormat,
  ModelName,
  ReasoningEffort,
  samplingParameters,
  unused,
} from '../chat/chat-request.ts';
import { unsupported } from '../chat/message-schemas.ts';
import { acceptDropped } from '../dropped-members.ts';

const partsMax = 1_000;
const ofItem = acceptDropped('responseItem');

const InputText = z.strictObject({ ...ofItem, type: z.literal('input_text'), text: z.string() });
const InputImage = z.strictObject({
  ...ofItem,
  ...acceptDropped('image'),
  type: z.literal('input_image'),
  image_url: z.string().min(1).meta({ description: 'A data: URL, or an http or https URL' }),
  file_id: unsupported,
});
const InputFile = z.strictObject({
  ...ofItem,
  ...acceptDropped('image'),
  type: z.literal('input_file'),
  file_data: z.string().min(1).meta({ description: 'A data: URL, such as data:application/pdf;base64,…' }),
  filename: z.string().min(1).max(255).nullish(),
  file_id: unsupported,
  file_url: unsupported,
});
const OutputText = z.strictObject({ ...ofItem, type: z.literal('output_text'), text: z.string() });
const Refusal = z.strictObject({ ...ofItem, type: z.literal('refusal'), refusal: z.string() });

const InputPart = z.discriminatedUnion('type', [InputText, InputImage, InputFile, OutputText, Refusal]);
export type InputPart = z.infer<typeof InputPart>;

const InputMessage = z.strictObject({
  ...ofItem,
  type: z.literal('message').optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(InputPart).max(partsMax)]),
});

const direct = z.looseObject({ type: z.literal('direct') });

/** Of a call and its output. Calls by programs and names within namespaces are of hosted tools. */
const ofCall = {
  ...ofItem,
  call_id: z.string().min(1).max(255),
  caller: direct.nullish().meta({ description: 'Only the model itself' }),
  namespace: unsupported,
};

const FunctionCall = z.strictObject({
  ...ofCall,
  type: z.literal('function_call'),
  name: z.string().min(1).max(255),
  arguments: z.string(),
  async: z.literal(false).nullish(),
});

const OutputPart = z.discriminatedUnion('type', [InputText, InputImage, InputFile]);

const FunctionOutput = z.strictObject({
  ...ofCall,
  type: z.literal('function_call_output'),
  output: z.union([z.string(), z.array(OutputPart).max(partsMax)]).meta({
    description: 'Images and files follow the results of all calls, as a message of the user',
  }),
  name: z.string().nullish().meta({ description: 'Ignored: the call has it' }),
});

const Reasoning = z.looseObject({ type: z.literal('reasoning') }).meta({ description: 'Ignored' });

const ItemReference = z
  .looseObject({ type: z.literal('item_reference') })
  .superRefine((_item, { addIssue }) =>
    addIssue({
      code: 'custom',
      params: { code: 'NOT_SUPPORTED' },
      message:
        'Items are not found by their ids. Send them whole (the AI SDK does with store: false), or continue by previous_response_id',
    }),
  )
  .meta({ description: 'Not supported: send the item itself' });

export const InputItem = z.union([
  z.discriminatedUnion('type', [FunctionCall, FunctionOutput, Reasoning, ItemReference]),
  InputMessage,
]);
export type InputItem = z.infer<typeof InputItem>;
export type InputMessage = z.infer<typeof InputMessage>;

const Tool = z.strictObject({
  type: z.literal('function'),
  ...FunctionDefinition.shape,
  ...acceptDropped('tool'),
  allowed_callers: z.array(z.literal('direct')).nullish(),
  async: z.literal(false).nullish(),
  defer_loading: z.literal(false).nullish(),
  output_schema: unsupported,
});

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), name: z.string() }),
]);

const Format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  JsonFormat.extend({ type: z.literal('json_schema') }),
]);

const describeIgnored = (what: string) => ({ description: `Ignored: ${what}` });

export const ResponsesRequest = z
  .strictObject({
    model: ModelName,
    input: z.union([z.string().min(1), z.array(InputItem).min(1).max(2_000)]),
    instructions: z
      .string()
      .nullish()
      .meta({ description: 'Not carried over to the response that continues this one' }),
    previous_response_id: z.string().max(255).nullish().meta({
      description: 'The response to continue. It must have been stored, and its conversation exist',
    }),
    store: z.boolean().nullish().meta({
      description:
        'Whether the response can be continued, and what was said is a conversation in GET /v1/conversations. Default: true',
    }),
    stream: z.boolean().nullish(),
    stream_options: z.unknown().optional().meta(describeIgnored('nothing is obfuscated')),
    tools: z.array(Tool).max(128).nullish(),
    tool_choice: ToolChoice.nullish(),
    text: z
      .strictObject({
        format: Format.nullish(),
        verbosity: z.string().nullish().meta(describeIgnored('no provider but OpenAI has it')),
      })
      .nullish(),
    reasoning: z
      .strictObject({
        effort: ReasoningEffort.nullish(),
        summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
        generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
        context: z.literal('auto').nullish(),
        mode: z.literal('standard').nullish(),
      })
      .nullish(),
    max_output_tokens: z.int().min(1).max(10_000_000).nullish(),
    ...samplingParameters,
    ...unused,
    metadata: z.record(z.string(), z.string()).nullish().meta({ description: 'Returned as it is' }),
    include: z.array(z.unknown()).nullish().meta(describeIgnored('there is nothing more to include')),
    truncation: z.enum(['auto', 'disabled']).nullish().meta(describeIgnored('the provider decides')),
    background: z.literal(false).nullish(),
    access_programs: unsupported,
    background_options: unsupported,
    conversation: unsupported,
    image: unsupported,
    max_tool_calls: unsupported,
    prompt: unsupported,
    top_logprobs: unsupported,
    moderation: unsupported,
    context_management: unsupported,
  })
  .meta({
    id: 'OpenAiResponsesRequest',
    examples: [{ model: 'default', input: 'Greet Ada in one sentence.' }],
  });
export type ResponsesRequest = z.infer<typeof ResponsesRequest>;
