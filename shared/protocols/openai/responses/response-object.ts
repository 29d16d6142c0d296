import type { ModelUsage } from '../../../adapters/ports/model-port.ts';
import { unixSeconds } from '../../../core/time.ts';
import type { AnswerEnd, OpenaiAnswer } from '../answers/streamed-answer.ts';
import type { OpenAiResponse, OutputItem } from './response-schemas.ts';
import type { ResponsesRequest } from './responses-request.ts';

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
