import * as z from 'zod';
import { JsonSchemaText } from '../../../domain/flows/steps/common-config.ts';
import { acceptDropped } from '../dropped-members.ts';
import { type CompletionMessage, RequestMessage, unsupported } from './message-schemas.ts';

const describeIgnored = (what: string) => ({ description: `Ignored: ${what}` });

export const ModelName = z.string().min(1).max(255).meta({
  description:
    '`default`, the id of a model config, `<provider>/<modelId>`, a model of the catalog, `agent/<name or id>` or `flow/<name or id>`',
});

export const FunctionDefinition = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Expected 1 to 64 of A-Z, a-z, 0-9, _ and -'),
  description: z.string().max(10_000).nullish(),
  parameters: JsonSchemaText.nullish(),
  strict: z.boolean().nullish().meta(describeIgnored('providers decide how they keep to a schema')),
});
export type FunctionDefinition = z.infer<typeof FunctionDefinition>;

const Tool = z.strictObject({
  type: z.literal('function'),
  function: FunctionDefinition,
  ...acceptDropped('tool'),
});

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
]);

export const JsonFormat = z.strictObject({
  name: z.string().max(64),
  description: z.string().nullish(),
  schema: JsonSchemaText.nullish(),
  strict: z.boolean().nullish(),
});

const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({ type: z.literal('json_schema'), json_schema: JsonFormat }),
]);
export type ResponseFormat = z.infer<typeof ResponseFormat>;

/** How the model writes, for chat completions and responses. */
export const samplingParameters = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
};

export const ReasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

/** What this service has no use for, and does not refuse, since packages send it. */
export const unused = {
  user: z.union([z.string(), z.number()]).nullish().meta(describeIgnored('the API key says who calls')),
  safety_identifier: z.string().nullish().meta(describeIgnored('likewise')),
  service_tier: z.string().nullish().meta(describeIgnored('that of the provider applies')),
  prompt_cache_key: z
    .string()
    .nullish()
    .meta(describeIgnored('prompt caching is a setting of the model config')),
  prompt_cache_retention: z.string().nullish().meta(describeIgnored('likewise')),
  prompt_cache_options: z.unknown().optional().meta(describeIgnored('likewise')),
  metadata: z.record(z.string(), z.unknown()).nullish().meta({
    description: 'Ignored. `X-Run-Tags` and `X-Session-Id` are headers that label the run',
  }),
};

const no = <Schema extends z.ZodType>(schema: Schema, value: string) =>
  schema.nullish().meta({ description: `Only ${value}` });

export const ChatCompletionRequest = z
  .strictObject({
    model: ModelName,
    messages: z.array(RequestMessage).min(1).max(2_000),
    stream: z.boolean().nullish(),
    stream_options: z
      .strictObject({
        include_usage: z.boolean().nullish().meta({ description: 'Sends a last chunk with the usage' }),
        include_obfuscation: z.boolean().nullish().meta(describeIgnored('nothing is obfuscated')),
      })
      .nullish(),
    tools: z.array(Tool).max(128).nullish(),
    tool_choice: ToolChoice.nullish(),
    response_format: ResponseFormat.nullish(),
    ...samplingParameters,
    max_tokens: z.int().min(1).max(10_000_000).nullish(),
    max_completion_tokens: z.int().min(1).max(10_000_000).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    seed: z.int().nullish(),
    stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(16)]).nullish(),
    reasoning_effort: ReasoningEffort.nullish(),
    ...unused,
    store: z.boolean().nullish().meta(describeIgnored('prompts and answers are not stored')),
    verbosity: z
      .enum(['low', 'medium', 'high'])
      .nullish()
      .meta(describeIgnored('no provider but OpenAI has it')),
    prediction: z.unknown().optional().meta(describeIgnored('no provider but OpenAI has it')),
    n: no(z.literal(1), '1'),
    logprobs: no(z.literal(false), 'false'),
    logit_bias: no(z.strictObject({}), 'an empty object'),
    audio: unsupported,
    functions: z.array(FunctionDefinition).max(128).nullish().meta({
      description: 'Deprecated: `tools`. The answer then has `function_call` in place of `tool_calls`',
    }),
    function_call: z
      .union([z.enum(['none', 'auto']), z.strictObject({ name: z.string() })])
      .nullish()
      .meta({ description: 'Deprecated: `tool_choice`' }),
    moderation: unsupported,
    top_logprobs: unsupported,
    web_search_options: unsupported,
    modalities: no(z.array(z.literal('text')).length(1), '["text"]'),
  })
  .meta({
    id: 'OpenAiChatCompletionRequest',
    examples: [{ model: 'default', messages: [{ role: 'user', content: 'Greet Ada in one sentence.' }] }],
  });
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;

/** In the form of today. */
export type ToolChatRequest = Omit<ChatCompletionRequest, 'messages' | 'functions' | 'function_call'> & {
  messages: CompletionMessage[];
};
