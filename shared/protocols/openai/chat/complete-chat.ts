import type { Scope } from '../../../platform/data/scope.ts';
import type { StreamedBody } from '../../../platform/http/responses/streamed-body.ts';
import { wholeAnswer } from '../answers/answer.ts';
import { streamedAnswer, timeLimit, wholeJsonBody } from '../answers/streamed-answer.ts';
import { answerChat, type OpenAiCall } from './answer-chat.ts';
import { ChatCompletion } from './chat-completion.ts';
import type { ChatCompletionRequest } from './chat-request.ts';
import { chatCompletion, chunkWriter } from './chat-responses.ts';
import { withTools } from './deprecated-functions.ts';

/** Answers a chat completions request. @throws ServiceError for all that fails before the answer begins */
export async function completeChat(
  scope: Scope,
  call: OpenAiCall,
  request: ChatCompletionRequest,
): Promise<StreamedBody> {
  const limit = timeLimit(call.timeLeftMs);
  const answer = await answerChat(scope, call, withTools(request));
  const { stream, stream_options: options, functions } = request;
  const hasFunctions = functions != null;
  if (stream) {
    const includesUsage = options?.include_usage ?? false;
    return streamedAnswer(answer, limit, chunkWriter(answer, { includesUsage, hasFunctions }));
  }
  const whole = await wholeAnswer(answer.events(limit));
  return wholeJsonBody(ChatCompletion.parse(chatCompletion(answer, whole, { hasFunctions })));
}
