/**
 * Answers OpenAI's chat completions, streamed in chunks or whole.
 * Order: rewrite the deprecated functions of a request as tools, find the answerer (`answer-chat.ts`), then write its events.
 * What fails before the first event is an error of the request. A request with functions gets its calls back as
 * `function_call`. `functions/openai` calls it; `answers/streamed-answer.ts` sends the body.
 */
import type { ModelUsage } from '../../../adapters/ports/model-port.ts';
import { invalidAt } from '../../../core/errors/errors.ts';
import { unixSeconds } from '../../../core/time.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StreamedBody } from '../../../platform/http/responses/streamed-body.ts';
import {
  type AnswerEnd,
  type AnswerWriter,
  type OpenaiAnswer,
  streamAnswer,
  timeLimit,
  type WholeAnswer,
  wholeAnswer,
  wholeJsonBody,
} from '../answers/streamed-answer.ts';
import { answerChat, type OpenAiCall } from './answer-chat.ts';
import { ChatCompletion, type Delta, type FinishReason } from './chat-completion.ts';
import type { ChatCompletionRequest, ToolChatRequest } from './chat-request.ts';
import type { CompletionMessage, RequestMessage } from './message-schemas.ts';

/** Answers a chat completions request. @throws ServiceError for all that fails before the answer begins */
export async function completeChat(
  scope: Scope,
  call: OpenAiCall,
  request: ChatCompletionRequest,
): Promise<StreamedBody> {
  const limit = timeLimit(call.timeLeftMs);
  const answer = await answerChat(scope, call, rewriteFunctions(request));
  const { stream, stream_options: options, functions } = request;
  const hasFunctions = functions != null;
  if (stream) {
    const includesUsage = options?.include_usage ?? false;
    return streamAnswer(answer, limit, chunkWriter(answer, { includesUsage, hasFunctions }));
  }
  const whole = await wholeAnswer(answer.events(limit));
  return wholeJsonBody(ChatCompletion.parse(chatCompletion(answer, whole, { hasFunctions })));
}

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

const toFinishReason = ({ stopReason }: AnswerEnd, { hasFunctions }: Form): FinishReason =>
  hasFunctions && stopReason === 'tool-calls' ? 'function_call' : finishReasons[stopReason];

const toUsage = ({ inputTokens, outputTokens, cacheReadTokens = 0, reasoningTokens = 0 }: ModelUsage) => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  prompt_tokens_details: { cached_tokens: cacheReadTokens },
  completion_tokens_details: { reasoning_tokens: reasoningTokens },
});

type Head = Pick<OpenaiAnswer, 'runId' | 'model' | 'startedAt'>;

const toHead = ({ runId, model, startedAt }: Head) => ({
  id: `chatcmpl-${runId}`,
  created: unixSeconds(startedAt),
  model,
});

function chatCompletion(answer: Head, whole: WholeAnswer, form: Form): ChatCompletion {
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
    ...toHead(answer),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(whole, form) }],
    ...(usage && { usage: toUsage(usage) }),
  };
}

const line = (json: string) => `data: ${json}\n\n`;

/** Writes an answer as chunks. What all of them have in common is encoded once. */
export function chunkWriter(
  answer: Head,
  { includesUsage, ...form }: { includesUsage: boolean } & Form,
): AnswerWriter {
  const head = JSON.stringify({ ...toHead(answer), object: 'chat.completion.chunk' }).slice(0, -1);
  const nothing = includesUsage ? ',"usage":null' : '';
  const chunk = (delta: Delta, finish: FinishReason | null = null) =>
    line(
      `${head},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"logprobs":null,"finish_reason":${JSON.stringify(finish)}}]${nothing}}`,
    );
  const toolCalls = toolCallDeltas();
  const toCallDelta = (call: ToolCallDelta) =>
    form.hasFunctions ? functionCallDelta(call) : { tool_calls: [call] };
  const writeEnd = (end: AnswerEnd) =>
    [
      chunk({}, toFinishReason(end, form)),
      includesUsage
        ? line(`${head},"choices":[],"usage":${JSON.stringify(end.usage && toUsage(end.usage))}}`)
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
          return writeEnd(event);
        default:
          return toolCalls(event)
            .map(toCallDelta)
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
    const openIndex = places.get(id);
    if (openIndex !== undefined)
      return type === 'tool-call' ? [] : [{ index: openIndex, function: { arguments: text } }];
    const index = places.size;
    places.set(id, index);
    return [{ index, id, type: 'function', function: { name, arguments: text } }];
  };
}

/**
 * A request in the form that OpenAI had before tools (`functions`, `function_call`, messages with the role `function`) in
 * that of today. @throws 400
 */
function rewriteFunctions(request: ChatCompletionRequest): ToolChatRequest {
  const { functions, function_call: choice, messages, ...modern } = request;
  const chat = { ...modern, messages: rewriteFunctionCalls(messages) };
  if (functions == null && choice == null) return chat;
  for (const name of ['tools', 'tool_choice'] as const) {
    if (request[name] != null) throw invalidAt(name, 'INVALID_VALUE', 'Expected either tools or functions');
  }
  return {
    ...chat,
    tools: functions?.map((definition) => ({ type: 'function', function: definition })),
    tool_choice: typeof choice === 'object' && choice ? toToolChoice(functions ?? [], choice.name) : choice,
    // The form has room for one call.
    ...(functions?.length && { parallel_tool_calls: false }),
  };
}

function toToolChoice(functions: readonly { name: string }[], name: string): ToolChatRequest['tool_choice'] {
  if (functions.some((each) => each.name === name)) return { type: 'function', function: { name } };
  throw invalidAt('function_call', 'INVALID_VALUE', `The function ${name} is not one of functions`);
}

/**
 * Each call gets an id, and the message of the function after it is its result. A call may have none, as before tools:
 * models want one for each call, so it gets an empty one.
 */
function rewriteFunctionCalls(messages: readonly RequestMessage[]): CompletionMessage[] {
  let open: { id: string; name: string } | undefined;
  const closeOpen = (): CompletionMessage[] => {
    const unanswered = open ? [{ role: 'tool' as const, tool_call_id: open.id, content: null }] : [];
    open = undefined;
    return unanswered;
  };
  const modern = messages.flatMap((message, index): CompletionMessage[] => {
    if (message.role === 'function') {
      const { name, content, ...rest } = message;
      if (open?.name !== name) throw callMissing(index, name);
      const result = { ...rest, role: 'tool' as const, tool_call_id: open.id, content };
      open = undefined;
      return [result];
    }
    const unanswered = closeOpen();
    if (message.role !== 'assistant' || !message.function_call) return [...unanswered, message];
    const { function_call: called, tool_calls: calls, ...rest } = message;
    if (calls?.length) throw twoForms(index);
    open = { id: createCallId(index), name: called.name };
    const call = { id: open.id, type: 'function' as const, function: called };
    return [...unanswered, { ...rest, tool_calls: [call] }];
  });
  return [...modern, ...closeOpen()];
}

/** Nine letters and digits, as Mistral wants them. */
const createCallId = (index: number) => `call${String(index).padStart(5, '0')}`;

const callMissing = (index: number, name: string) =>
  invalidAt(
    `messages.${index}`,
    'INVALID_VALUE',
    `Expected a message of the assistant with function_call ${name} right before its result`,
  );
const twoForms = (index: number) =>
  invalidAt(
    `messages.${index}.function_call`,
    'INVALID_VALUE',
    'Expected either tool_calls or function_call',
  );
