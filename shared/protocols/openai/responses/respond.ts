import { invalid, invalidAt, ServiceError } from '../../../core/errors/errors.ts';
import { toResponseId } from '../../../domain/conversations/kept-responses.ts';
import { assertMessageFits } from '../../../domain/conversations/message-writes.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { StreamedBody } from '../../../platform/http/responses/streamed-body.ts';
import type { AnswerEnd, OpenaiAnswer } from '../answers/answer.ts';
import { answererScope } from '../answers/answerer.ts';
import { streamedAnswer, timeLimit, wholeJsonBody } from '../answers/streamed-answer.ts';
import { answerChat, type OpenAiCall, spokenMessages } from '../chat/answer-chat.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import type { CompletionMessage } from '../chat/message-schemas.ts';
import { toChatMessages } from './input-messages.ts';
import { keptAnswer, responseKeeper } from './keep-response.ts';
import { openItems } from './response-events.ts';
import { endedResponse, openedResponse } from './response-object.ts';
import { OpenAiResponse } from './response-schemas.ts';
import { responseWriter } from './response-writer.ts';
import type { ResponsesRequest } from './responses-request.ts';

export const responsesScope = /* @__PURE__ */ using([answererScope, responseKeeper], (all: Scope) => all);

/** Answers a responses request. @throws ServiceError for all that fails before the answer begins */
export async function respond(
  scope: Scope,
  call: OpenAiCall,
  request: ResponsesRequest,
): Promise<StreamedBody> {
  const limit = timeLimit(call.timeLeftMs);
  const { previous_response_id: previousId, store, stream, instructions } = request;
  const keeper = responseKeeper(scope);
  const previous = previousId ? await keeper.find(previousId) : undefined;
  if (previousId && !previous) throw previousNotFound(previousId);
  const history = (previous?.messages ?? []) as CompletionMessage[];
  const sent = toChatMessages(request.input);
  if (store !== false) assertKept(sent);
  const before: CompletionMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  const summary = request.reasoning?.summary ?? request.reasoning?.generate_summary;
  const chat = chatOf(request, [...before, ...history, ...sent]);
  const answer = await answerChat(scope, call, chat, {
    summary: summary === 'concise' ? 'auto' : (summary ?? undefined),
  }).catch(ofInput);
  const { runId } = answer;
  const conversationId = previous?.isLast ? previous.conversation.id : scope.newId('conv');
  const id = toResponseId(conversationId, runId);
  const keeping = { id, runId, conversationId, principal: call.principal, previous, history, sent };
  const events: OpenaiAnswer['events'] = (signal) =>
    store === false
      ? answer.events(signal)
      : keptAnswer(answer.events(signal), (said) => keeper.keep(keeping, said));
  const opened = openedResponse(id, answer, request);
  if (stream) return streamedAnswer({ events }, limit, responseWriter(opened)).catch(ofInput);
  return whole(opened, events(limit)).catch(ofInput);
}

async function whole(
  opened: OpenAiResponse,
  events: ReturnType<OpenaiAnswer['events']>,
): Promise<StreamedBody> {
  const items = openItems(opened);
  let end: AnswerEnd | undefined;
  for await (const event of events) {
    for (const _ of items.add(event));
    if (event.type === 'end') end = event;
  }
  if (!end) throw new Error('The events of an answer ended without an end');
  return wholeJsonBody(OpenAiResponse.parse(endedResponse(opened, items.output(), end)));
}

/** @throws 400 for what could not be kept with the answer, before there is one */
function assertKept(sent: readonly CompletionMessage[]): void {
  try {
    for (const [index, message] of spokenMessages(sent).entries()) assertMessageFits(message, index);
  } catch (error) {
    ofInput(error);
  }
}

/** The same as a request for a chat completion. */
const chatOf = (request: ResponsesRequest, messages: CompletionMessage[]): ChatRequest => ({
  model: request.model,
  messages,
  stream: request.stream,
  tools: request.tools?.map(({ type, ...definition }) => ({ type, function: definition })),
  tool_choice:
    typeof request.tool_choice === 'object' && request.tool_choice
      ? { type: 'function', function: { name: request.tool_choice.name } }
      : request.tool_choice,
  response_format: formatOf(request),
  temperature: request.temperature,
  top_p: request.top_p,
  parallel_tool_calls: request.parallel_tool_calls,
  max_completion_tokens: request.max_output_tokens,
  reasoning_effort: request.reasoning?.effort,
});

function formatOf({ text }: ResponsesRequest): ChatRequest['response_format'] {
  const format = text?.format;
  if (format?.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

const previousNotFound = (id: string) =>
  invalidAt('previous_response_id', 'NOT_FOUND', `Previous response with id '${id.slice(0, 100)}' not found`);

/** What is wrong with messages is wrong with the input. */
function ofInput(error: unknown): never {
  if (
    !(error instanceof ServiceError) ||
    !error.details.some(({ path = '' }) => path.startsWith('messages'))
  ) {
    throw error;
  }
  throw invalid(error.details.map((detail) => ({ ...detail, path: 'input' })));
}
