/**
 * The form of a response of OpenAI's Responses API: its schemas and how it is built when it begins and when it ends.
 * A response repeats the parameters of its request. It begins as `in_progress` without output (`createOpenedResponse`);
 * its end adds the output and the usage, and is `incomplete` if a limit or a filter stopped the model
 * (`createEndedResponse`). Events of a stream carry the same object.
 * `respond.ts` and `response-events.ts` build responses with it; `functions/openai/respond.ts` describes them in the
 * OpenAPI document.
 */
import * as z from 'zod';
import type { ModelUsage } from '../../../adapters/ports/model-port.ts';
import { unixSeconds } from '../../../core/time.ts';
import type { AnswerEnd, OpenaiAnswer } from '../answers/streamed-answer.ts';
import type { ResponsesRequest } from './responses-request.ts';

const status = z.enum(['in_progress', 'completed', 'incomplete']);

const OutputText = z.object({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(z.never()),
});
export type OutputText = z.infer<typeof OutputText>;

const Summary = z.object({ type: z.literal('summary_text'), text: z.string() });

const OutputItem = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    id: z.string(),
    status,
    role: z.literal('assistant'),
    content: z.array(OutputText),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    status,
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({ type: z.literal('reasoning'), id: z.string(), status, summary: z.array(Summary) }),
]);
export type OutputItem = z.infer<typeof OutputItem>;

const Usage = z.object({
  input_tokens: z.int(),
  input_tokens_details: z.object({ cached_tokens: z.int() }),
  output_tokens: z.int(),
  output_tokens_details: z.object({ reasoning_tokens: z.int() }),
  total_tokens: z.int(),
});

const asSent = z.unknown().meta({ description: 'As the request has it' });

const example = {
  id: 'resp_01k9m4v7d3x8qz5w2r6t0y1hbn01k9m4v7d3x8qz5w2r6t0y1hbn',
  object: 'response',
  created_at: 1_763_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: 'openai/gpt-5-mini',
  output: [
    {
      type: 'message',
      id: 'msg_01k9m4v7d3x8qz5w2r6t0y1hbn_0',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello Ada!', annotations: [], logprobs: [] }],
    },
  ],
  parallel_tool_calls: true,
  previous_response_id: null,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  max_output_tokens: null,
  reasoning: { effort: null, summary: null },
  text: { format: { type: 'text' } },
  truncation: 'disabled',
  store: true,
  background: false,
  usage: {
    input_tokens: 12,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 6,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 18,
  },
};

export const OpenAiResponse = z
  .object({
    id: z.string(),
    object: z.literal('response'),
    created_at: z.int(),
    status,
    error: z.looseObject({}).nullable(),
    incomplete_details: z.object({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
    instructions: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    model: z.string().meta({ description: 'The model that answered, as `<provider>/<modelId>`' }),
    output: z.array(OutputItem),
    parallel_tool_calls: z.boolean(),
    previous_response_id: z.string().nullable(),
    temperature: z.number().nullable(),
    tool_choice: asSent,
    tools: z.array(z.unknown()),
    top_p: z.number().nullable(),
    max_output_tokens: z.int().nullable(),
    reasoning: asSent,
    text: asSent,
    truncation: z.literal('disabled'),
    store: z.boolean(),
    background: z.literal(false),
    usage: Usage.nullable(),
  })
  .meta({ id: 'OpenAiResponse', examples: [example] });
export type OpenAiResponse = z.infer<typeof OpenAiResponse>;

/** An event of a response that is streamed; of all kinds, what they have in common. */
export const OpenAiResponseEvent = z.looseObject({ type: z.string(), sequence_number: z.int() }).meta({
  id: 'OpenAiResponseEvent',
  description:
    'The events of OpenAI’s responses, from `response.created` to `response.completed` or `response.incomplete`; `error` if it breaks off',
  examples: [
    {
      type: 'response.output_text.delta',
      item_id: 'msg_01k9m4v7d3x8qz5w2r6t0y1hbn_0',
      output_index: 0,
      content_index: 0,
      delta: 'Hello',
      logprobs: [],
      sequence_number: 4,
    },
  ],
});

/** A response that begins: what it repeats of its request. */
export const createOpenedResponse = (
  id: string,
  { model, startedAt }: Pick<OpenaiAnswer, 'model' | 'startedAt'>,
  request: ResponsesRequest,
): OpenAiResponse => ({
  id,
  object: 'response',
  created_at: unixSeconds(startedAt),
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  instructions: request.instructions ?? null,
  metadata: request.metadata ?? {},
  model,
  output: [],
  parallel_tool_calls: request.parallel_tool_calls ?? true,
  previous_response_id: request.previous_response_id ?? null,
  temperature: request.temperature ?? null,
  tool_choice: request.tool_choice ?? 'auto',
  tools: request.tools ?? [],
  top_p: request.top_p ?? null,
  max_output_tokens: request.max_output_tokens ?? null,
  reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
  text: { format: request.text?.format ?? { type: 'text' } },
  truncation: 'disabled',
  store: request.store ?? true,
  background: false,
  usage: null,
});

const reasons = { length: 'max_output_tokens', 'content-filter': 'content_filter' } as const;

export function createEndedResponse(
  opened: OpenAiResponse,
  output: OutputItem[],
  { stopReason, usage }: AnswerEnd,
): OpenAiResponse {
  const reason = stopReason === 'length' || stopReason === 'content-filter' ? reasons[stopReason] : undefined;
  return {
    ...opened,
    status: reason ? 'incomplete' : 'completed',
    incomplete_details: reason ? { reason } : null,
    output,
    usage: usage && toUsage(usage),
  };
}

const toUsage = ({ inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0 }: ModelUsage) => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cacheReadTokens },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: reasoningTokens },
  total_tokens: inputTokens + outputTokens,
});
