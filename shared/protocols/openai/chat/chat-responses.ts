import type { ModelUsage } from '../../../adapters/ports/model-port.ts';
import { unixSeconds } from '../../../core/time.ts';
import type { AnswerEnd, OpenaiAnswer, WholeAnswer } from '../answers/answer.ts';
import type { AnswerWriter } from '../answers/streamed-answer.ts';
import type { ChatCompletion, Delta, FinishReason } from './chat-completion.ts';

const finishReasons = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
} as const satisfies Record<AnswerEnd['stopReason'], FinishReason>;

/** Whether the request has `functions`, and its answer the deprecated `function_call`, which is one. */
interface Form {
  hasFunctions: boolean;
}

const finishReasonOf = ({ stopReason }: AnswerEnd, { hasFunctions }: Form): FinishReason =>
  hasFunctions && stopReason === 'tool-calls' ? 'function_call' : finishReasons[stopReason];

const usageOf = ({ inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0 }: ModelUsage) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cacheReadTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
});

type Head = Pick<OpenaiAnswer, 'runId' | 'model' | 'startedAt'>;

const headOf = ({ runId, model, startedAt }: Head) => ({
  id: `chatcmpl-${runId}`,
  created: unixSeconds(startedAt),
  model,
});

export function chatCompletion(answer: Head, whole: WholeAnswer, form: Form): ChatCompletion {
  const { text, reasoning, toolCalls, usage } = whole;
  const tool_calls = toolCalls.map(({ id, name, text: written }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: written },
  }));
  const message = {
    role: 'assistant' as const,
    content: text === '' && tool_calls.length > 0 ? null : text,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(tool_calls[0] && (form.hasFunctions ? { function_call: tool_calls[0].function } : { tool_calls })),
  };
  return {
    ...headOf(answer),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(whole, form) }],
    ...(usage && { usage: usageOf(usage) }),
  };
}

const line = (json: string) => `data: ${json}\n\n`;

/** Writes an answer as chunks. What all of them have in common is encoded once. */
export function chunkWriter(
  answer: Head,
  { includesUsage, ...form }: { includesUsage: boolean } & Form,
): AnswerWriter {
  const head = JSON.stringify({ ...headOf(answer), object: 'chat.completion.chunk' }).slice(0, -1);
  const nothing = includesUsage ? ',"usage":null' : '';
  const chunk = (delta: Delta, finish: FinishReason | null = null) =>
    line(
      `${head},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]${nothing}}`,
    );
  const toolCalls = toolCallDeltas();
  const callOf = (call: ToolCallDelta) =>
    form.hasFunctions ? functionCallDelta(call) : { tool_calls: [call] };
  const endOf = (end: AnswerEnd) =>
    [
      chunk({}, finishReasonOf(end, form)),
      includesUsage
        ? line(`${head},"choices":[],"usage":${JSON.stringify(end.usage && usageOf(end.usage))}}`)
        : '',
      line('[DONE]'),
    ].join('');
  return {
    text(event) {
      switch (event.type) {
        case 'start':
          return chunk({ role: 'assistant', content: '' });
        case 'text-delta':
          return chunk({ content: event.text });
        case 'reasoning-delta':
          return chunk({ reasoning_content: event.text });
        case 'end':
          return endOf(event);
        default:
          return toolCalls(event)
            .map(callOf)
            .map((delta) => (delta ? chunk(delta) : ''))
            .join('');
      }
    },
    failure: (error) => line(JSON.stringify(error)),
  };
}

type ToolCallDelta = NonNullable<Delta['tool_calls']>[number];

const functionCallDelta = ({ index, function: called }: ToolCallDelta): Delta | undefined =>
  index === 0 ? { function_call: called } : undefined;

type ToolCallEvent = { type: 'tool-call-delta' | 'tool-call'; id: string; name: string; text: string };

/** The pieces of calls as deltas. A call without pieces comes as one. */
function toolCallDeltas() {
  const places = new Map<string, number>();
  return ({ type, id, name, text }: ToolCallEvent): ToolCallDelta[] => {
    const known = places.get(id);
    if (known !== undefined)
      return type === 'tool-call' ? [] : [{ index: known, function: { arguments: text } }];
    const index = places.size;
    places.set(id, index);
    return [{ index, id, type: 'function', function: { name, arguments: text } }];
  };
}
