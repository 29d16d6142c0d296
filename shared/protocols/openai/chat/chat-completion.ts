import * as z from 'zod';

const Usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }),
  completion_tokens_details: z.object({ reasoning_tokens: z.int() }),
});

const finishReason = z.enum(['stop', 'length', 'tool_calls', 'function_call', 'content_filter']);
export type FinishReason = z.infer<typeof finishReason>;

const head = {
  id: z.string().meta({ description: '`chatcmpl-` and the id of the run' }),
  created: z.int().meta({ description: 'Unix seconds' }),
  model: z.string().meta({ description: 'The model that answered, as `<provider>/<modelId>`' }),
};

const CalledFunction = z.object({ name: z.string(), arguments: z.string() });

const id = 'chatcmpl-exec_01k9m4v7d3x8qz5w2r6t0y1hbn';
const usage = {
  prompt_tokens: 12,
  completion_tokens: 6,
  total_tokens: 18,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

export const ChatCompletion = z
  .object({
    ...head,
    object: z.literal('chat.completion'),
    choices: z.array(
      z.object({
        index: z.literal(0),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.string().nullable(),
          reasoning_content: z
            .string()
            .optional()
            .meta({ description: 'What the provider shows of the reasoning' }),
          tool_calls: z
            .array(z.object({ id: z.string(), type: z.literal('function'), function: CalledFunction }))
            .optional(),
          function_call: CalledFunction.optional().meta({
            description: 'Deprecated: in place of `tool_calls` if the request has `functions`',
          }),
        }),
        logprobs: z.looseObject({}).nullable(),
        finish_reason: finishReason,
      }),
    ),
    usage: Usage.optional().meta({ description: 'Missing if the provider does not report it' }),
  })
  .meta({
    id: 'OpenAiChatCompletion',
    examples: [
      {
        id,
        object: 'chat.completion',
        created: 1_763_000_000,
        model: 'openai/gpt-5-mini',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'Hello Ada!', refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
        usage,
      },
    ],
  });
export type ChatCompletion = z.infer<typeof ChatCompletion>;

const Delta = z.object({
  role: z.literal('assistant').optional(),
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z
    .array(
      z.object({
        index: z.int(),
        id: z.string().optional(),
        type: z.literal('function').optional(),
        function: CalledFunction.partial(),
      }),
    )
    .optional(),
  function_call: CalledFunction.partial().optional(),
});
export type Delta = z.infer<typeof Delta>;

export const ChatCompletionChunk = z
  .object({
    ...head,
    object: z.literal('chat.completion.chunk'),
    choices: z.array(
      z.object({
        index: z.literal(0),
        delta: Delta,
        logprobs: z.looseObject({}).nullable(),
        finish_reason: finishReason.nullable(),
      }),
    ),
    usage: Usage.nullable().optional(),
  })
  .meta({
    id: 'OpenAiChatCompletionChunk',
    examples: [
      {
        id,
        object: 'chat.completion.chunk',
        created: 1_763_000_000,
        model: 'openai/gpt-5-mini',
        choices: [{ index: 0, delta: { content: 'Hello' }, logprobs: null, finish_reason: null }],
      },
    ],
  });
export type ChatCompletionChunk = z.infer<typeof ChatCompletionChunk>;
