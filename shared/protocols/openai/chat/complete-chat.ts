import { invalidAt } from '../../../core/errors/errors.ts';
import { labelsInHeaders } from '../../../domain/runs/run-labels.ts';
import type { Target } from '../../../execution/targets/target.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StreamedBody } from '../../../platform/http/responses/streamed-body.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { type Answer, wholeAnswer } from '../answers/answer.ts';
import { answererOf } from '../answers/answerer.ts';
import { modelAnswer } from '../answers/model-answer.ts';
import { jsonBody, streamedAnswer, timeLimit } from '../answers/streamed-answer.ts';
import { targetAnswer } from '../answers/target-answer.ts';
import { notSupported } from '../failures.ts';
import { ChatCompletion } from './chat-completion.ts';
import type { ChatCompletionRequest } from './chat-request.ts';
import { chatCompletion, chunkWriter } from './chat-responses.ts';
import { modelMessages, plainMessages } from './model-messages.ts';
import { askedOf, formatOf } from './model-request.ts';

export interface OpenAiCall {
  principal: Principal;
  requestId: string;
  timeLeftMs: number;
  header: (name: string) => string | undefined;
}

/** Answers a chat completions request. @throws ServiceError for all that fails before the answer begins */
export async function completeChat(
  scope: Scope,
  call: OpenAiCall,
  request: ChatCompletionRequest,
): Promise<StreamedBody> {
  const { principal, timeLeftMs, header } = call;
  const target = await answererOf(scope, principal, request.model);
  const labels = labelsInHeaders(header);
  const limit = timeLimit(timeLeftMs);
  const answer = target
    ? await fromTarget(scope, { ...call, labels, isStreamed: request.stream ?? false }, target, request)
    : await modelAnswer(
        scope,
        { principal, labels },
        {
          asked: askedOf(request),
          messagesFor: (ports, signal) => modelMessages(ports, request.messages, signal),
        },
      );
  return request.stream ? streamed(answer, limit, request) : whole(answer, limit);
}

const streamed = (answer: Answer, limit: AbortSignal, { stream_options: options }: ChatCompletionRequest) =>
  streamedAnswer(answer, limit, chunkWriter(answer, { includesUsage: options?.include_usage ?? false }));

async function whole(answer: Answer, limit: AbortSignal): Promise<StreamedBody> {
  return jsonBody(ChatCompletion.parse(chatCompletion(answer, await wholeAnswer(answer.events(limit)))));
}

function fromTarget(
  scope: Scope,
  call: Parameters<typeof targetAnswer>[1],
  target: Target,
  { model, messages, tools, response_format: given }: ChatCompletionRequest,
): Promise<Answer> {
  if (tools?.length) throw notSupported('tools', 'Flows and agents have tools of their own');
  const format = given ? formatOf(given) : undefined;
  const responseSchema = format?.type === 'json' ? format.schema : undefined;
  if (format?.type === 'json' && (target.kind === 'flow' || !responseSchema)) {
    const text = 'A flow decides itself what it answers; an agent takes json_schema';
    throw notSupported('response_format', text);
  }
  if (!messages.some(({ role }) => role === 'user')) {
    throw invalidAt('messages', 'INVALID_VALUE', 'Expected a message with the role user');
  }
  return targetAnswer(scope, call, { model, target, messages: plainMessages(messages), responseSchema });
}
