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
import { InputItem } from './input-schemas.ts';

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
