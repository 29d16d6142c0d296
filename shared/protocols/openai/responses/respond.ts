/**
 * Answers OpenAI's responses: a request becomes a chat (`chat/answer-chat.ts`), and its answer the events of a response.
 * Order: find the previous response, convert the input, check that it can be stored, start the answer. Unless `store` is
 * false, the answer is stored before its last event is sent, so that it can be continued at once: first the spoken messages
 * in a conversation, then the response. A crash between the two leaves messages without a response to continue.
 * Problems of messages are reported as problems of `input`. `functions/openai/respond.ts` calls it.
 */
import { toChunks } from '../../../core/chunks.ts';
import { invalid, invalidAt, ServiceError } from '../../../core/errors/errors.ts';
import { truncate } from '../../../core/text.ts';
import { conversationStore } from '../../../domain/conversations/conversation-store.ts';
import {
  type KeptResponse,
  keptResponses,
  toResponseId,
} from '../../../domain/conversations/kept-responses.ts';
import { messageText } from '../../../domain/conversations/message.ts';
import { assertMessageFits } from '../../../domain/conversations/message-writes.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { serverSentEvent } from '../../../platform/http/responses/server-sent-events.ts';
import type { StreamedBody } from '../../../platform/http/responses/streamed-body.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { answererScope } from '../answers/answerer.ts';
import type { AnswerEnd, AnswerEvent, OpenaiAnswer, WholeAnswer } from '../answers/streamed-answer.ts';
import { streamAnswer, timeLimit, wholeJsonBody } from '../answers/streamed-answer.ts';
import { answerChat, type OpenAiCall, selectSpokenMessages } from '../chat/answer-chat.ts';
import type { ToolChatRequest } from '../chat/chat-request.ts';
import type { CompletionMessage, Texts, UserPart } from '../chat/message-schemas.ts';
import { notSupported } from '../error-form.ts';
import { openItems, type UnnumberedEvent } from './response-events.ts';
import { createEndedResponse, createOpenedResponse, OpenAiResponse } from './response-schemas.ts';
import type { InputItem, InputMessage, InputPart, ResponsesRequest } from './responses-request.ts';

interface Keeping {
  id: string;
  runId: string;
  conversationId: string;
  principal: Pick<Principal, 'userId' | 'organizationId'>;
  previous: KeptResponse | undefined;
  /** All before this response, and those of its request. */
  history: readonly CompletionMessage[];
  sent: readonly CompletionMessage[];
}

const titleMax = 100;
const appendedMax = 40;

/** Keeps responses, so that others continue them; what was said is a conversation. */
const responseKeeper = /* @__PURE__ */ using([conversationStore, keptResponses], (scope: Scope) => {
  const conversations = conversationStore(scope);
  const kept = keptResponses(scope);

  /** What is said after an earlier response than the last is another conversation. */
  async function openConversation({ conversationId: id, principal, previous, sent }: Keeping) {
    if (previous?.isLast) return previous.conversation;
    const [first] = selectSpokenMessages(sent).filter(({ role }) => role === 'user');
    const title = truncate((first && messageText(first).trim()) || 'Response', titleMax);
    return conversations.create(principal, { title, id });
  }

  return {
    find: kept.find,

    async keep(keeping: Keeping, answer: Pick<WholeAnswer, 'text' | 'toolCalls'>): Promise<void> {
      const { id, runId, history, sent } = keeping;
      const said = answerMessage(answer);
      let conversation = await openConversation(keeping);
      const spoken = selectSpokenMessages([...sent, said]).map((message, index) => ({
        ...message,
        id: `${id}_${index}`,
        ...(message.role === 'assistant' && { runId }),
      }));
      for (const messages of toChunks(spoken, appendedMax)) {
        const options = { current: conversation };
        conversation = (await conversations.append(conversation.id, messages, options)).conversation;
      }
      await kept.keep(id, conversation, {
        messages: [...sent, said],
        history: [...history],
        previous: keeping.previous,
      });
    },
  };
});

function answerMessage({ text, toolCalls }: Pick<WholeAnswer, 'text' | 'toolCalls'>): CompletionMessage {
  const tool_calls = toolCalls.map(({ id, name, text: written }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: written },
  }));
  return { role: 'assistant', content: text, ...(tool_calls.length > 0 && { tool_calls }) };
}

/** Keeps an answer before its end is told, so that it can be continued at once. */
async function* storeAnswer(
  events: AsyncIterable<AnswerEvent>,
  keep: (answer: Pick<WholeAnswer, 'text' | 'toolCalls'>) => Promise<void>,
): AsyncGenerator<AnswerEvent, void> {
  const answer = { text: '', toolCalls: [] as WholeAnswer['toolCalls'] };
  for await (const event of events) {
    if (event.type === 'text-delta') answer.text += event.text;
    else if (event.type === 'tool-call') answer.toolCalls.push(event);
    else if (event.type === 'end') await keep(answer);
    yield event;
  }
}

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
  const chat = toChat(request, [...before, ...history, ...sent]);
  const answer = await answerChat(scope, call, chat, {
    summary: summary === 'concise' ? 'auto' : (summary ?? undefined),
  }).catch(throwAsInputProblem);
  const { runId } = answer;
  const conversationId = previous?.isLast ? previous.conversation.id : scope.newId('conv');
  const id = toResponseId(conversationId, runId);
  const keeping = { id, runId, conversationId, principal: call.principal, previous, history, sent };
  const events: OpenaiAnswer['events'] = (signal) =>
    store === false
      ? answer.events(signal)
      : storeAnswer(answer.events(signal), (said) => keeper.keep(keeping, said));
  const opened = createOpenedResponse(id, answer, request);
  if (stream) return streamAnswer({ events }, limit, responseWriter(opened)).catch(throwAsInputProblem);
  return whole(opened, events(limit)).catch(throwAsInputProblem);
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
  return wholeJsonBody(OpenAiResponse.parse(createEndedResponse(opened, items.output(), end)));
}

/** @throws 400 for what could not be kept with the answer, before there is one */
function assertKept(sent: readonly CompletionMessage[]): void {
  try {
    for (const [index, message] of selectSpokenMessages(sent).entries()) assertMessageFits(message, index);
  } catch (error) {
    throwAsInputProblem(error);
  }
}

/** The same as a request for a chat completion. */
const toChat = (request: ResponsesRequest, messages: CompletionMessage[]): ToolChatRequest => ({
  model: request.model,
  messages,
  stream: request.stream,
  tools: request.tools?.map(({ type, ...definition }) => ({ type, function: definition })),
  tool_choice:
    typeof request.tool_choice === 'object' && request.tool_choice
      ? { type: 'function', function: { name: request.tool_choice.name } }
      : request.tool_choice,
  response_format: toResponseFormat(request),
  temperature: request.temperature,
  top_p: request.top_p,
  parallel_tool_calls: request.parallel_tool_calls,
  max_completion_tokens: request.max_output_tokens,
  reasoning_effort: request.reasoning?.effort,
});

function toResponseFormat({ text }: ResponsesRequest): ToolChatRequest['response_format'] {
  const format = text?.format;
  if (format?.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

const previousNotFound = (id: string) =>
  invalidAt('previous_response_id', 'NOT_FOUND', `Previous response with id '${id.slice(0, 100)}' not found`);

/** What is wrong with messages is wrong with the input. */
function throwAsInputProblem(error: unknown): never {
  if (
    !(error instanceof ServiceError) ||
    !error.details.some(({ path = '' }) => path.startsWith('messages'))
  ) {
    throw error;
  }
  throw invalid(error.details.map((detail) => ({ ...detail, path: 'input' })));
}

type Assistant = Extract<CompletionMessage, { role: 'assistant' }>;

/** The input of a response as the messages of a chat. @throws 400 */
function toChatMessages(input: ResponsesRequest['input']): CompletionMessage[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  const messages: CompletionMessage[] = [];
  let files: UserPart[] = [];
  const showFiles = () => {
    if (files.length > 0) messages.push({ role: 'user', content: [ofTools, ...files] });
    files = [];
  };
  for (const [index, item] of input.entries()) {
    if (isOutput(item)) files.push(...addOutput(messages, item, `input.${index}`));
    else {
      showFiles();
      addItem(messages, item, `input.${index}`);
    }
  }
  showFiles();
  return messages;
}

type Output = Extract<InputItem, { type: 'function_call_output' }>;
const isOutput = (item: InputItem): item is Output => item.type === 'function_call_output';

/** Only messages of the user have files at all providers, and the results of one response stand together. */
const ofTools = { type: 'text' as const, text: 'The images and files in the results of the tools:' };
const shownBelow = 'The result is an image or a file in the next message.';

/** @returns the images and files of the result */
function addOutput(messages: CompletionMessage[], { call_id, output }: Output, path: string): UserPart[] {
  const parts = typeof output === 'string' ? [{ type: 'input_text' as const, text: output }] : output;
  const texts = parts.flatMap((part) => (part.type === 'input_text' ? [part.text] : []));
  const files = parts.flatMap((part, at) =>
    part.type === 'input_text' ? [] : [userPart(part, `${path}.output.${at}`)],
  );
  const content = texts.length === 0 && files.length > 0 ? shownBelow : texts.join('\n');
  messages.push({ role: 'tool', tool_call_id: call_id, content });
  return files;
}

function addItem(messages: CompletionMessage[], item: InputItem, path: string): void {
  if (isMessage(item)) messages.push(toMessage(item, path));
  else if (item.type === 'function_call') addCall(messages, item);
}

const isMessage = (item: InputItem): item is InputMessage => 'role' in item;

/** A call belongs to the message of the assistant before it. */
function addCall(
  messages: CompletionMessage[],
  { call_id: id, name, arguments: written }: Extract<InputItem, { type: 'function_call' }>,
): void {
  const call = { id, type: 'function' as const, function: { name, arguments: written } };
  const last = messages.at(-1);
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: null, tool_calls: [call] });
  else messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), call] };
}

function toMessage({ role, content }: InputMessage, path: string): CompletionMessage {
  if (typeof content === 'string') return { role, content } as CompletionMessage;
  if (role === 'user')
    return { role, content: content.map((part, at) => userPart(part, `${path}.content.${at}`)) };
  const texts = content.map((part, at) => textPart(part, `${path}.content.${at}`));
  return role === 'assistant' ? ({ role, content: texts } satisfies Assistant) : { role, content: texts };
}

function userPart(part: InputPart, path: string): UserPart {
  if (part.type === 'input_image') return { type: 'image_url', image_url: { url: part.image_url } };
  if (part.type === 'input_file') {
    const { file_data, filename } = part;
    return { type: 'file', file: { file_data, ...(filename && { filename }) } };
  }
  return textPart(part, path);
}

function textPart(part: InputPart, path: string): Exclude<Texts, string>[number] {
  if (part.type === 'input_text' || part.type === 'output_text') return { type: 'text', text: part.text };
  if (part.type === 'refusal') return { type: 'text', text: part.refusal };
  throw notSupported(path, 'Only messages of the user have images and files');
}

/** Writes an answer as the events of a response. */
function responseWriter(opened: OpenAiResponse) {
  const items = openItems(opened);
  let number = 0;
  const line = (event: UnnumberedEvent) =>
    serverSentEvent({ event: event.type, data: { ...event, sequence_number: number++ } });
  let hasBegun = false;
  const writeBeginning = (): string => {
    if (hasBegun) return '';
    hasBegun = true;
    return ['response.created', 'response.in_progress']
      .map((type) => line({ type, response: opened }))
      .join('');
  };
  return {
    text(event: AnswerEvent): string {
      const lines = [writeBeginning(), ...[...items.add(event)].map(line)];
      if (event.type === 'end') {
        const response = createEndedResponse(opened, items.output(), event);
        lines.push(line({ type: `response.${response.status}`, response }));
      }
      return lines.join('');
    },
    failure: (failed: object): string => {
      const { error } = failed as { error: object };
      return line({ ...error, type: 'error' });
    },
  };
}
