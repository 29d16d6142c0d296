/**
 * Finds who answers an OpenAI chat (a model, a flow or an agent), and converts the request to what that takes.
 * Checked before anything runs: tools, formats and the pairing of calls with their results; a problem is a 400 with its path.
 * The images and files of messages for a model are loaded when its events are first read.
 * `complete-chat.ts` (chat completions) and `responses/respond.ts` (responses) call it and write its events in their form.
 */
import type {
  AssistantPart,
  ModelMessage,
  ModelReasoning,
  ModelRequest,
  ModelTool,
} from '../../../adapters/ports/model-port.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import { omitUndefined } from '../../../core/defined.ts';
import { invalidAt } from '../../../core/errors/errors.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { tryParseJson } from '../../../core/json/json.ts';
import type { ContentPart, Message } from '../../../domain/conversations/message.ts';
import { labelsInHeaders } from '../../../domain/runs/run-origin.ts';
import { toModelMessages } from '../../../execution/model-calls/to-model-messages.ts';
import type { Target } from '../../../execution/targets/target.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { findAnswerer } from '../answers/answerer.ts';
import { modelAnswer } from '../answers/model-answer.ts';
import type { OpenaiAnswer } from '../answers/streamed-answer.ts';
import { targetAnswer } from '../answers/target-answer.ts';
import { notSupported } from '../error-form.ts';
import type { FunctionDefinition, ResponseFormat, ToolChatRequest } from './chat-request.ts';
import {
  type AssistantChatMessage,
  audioMediaType,
  type CompletionMessage,
  messageContentText,
  type UserPart,
} from './message-schemas.ts';

export interface OpenAiCall {
  principal: Principal;
  requestId: string;
  timeLeftMs: number;
  header: (name: string) => string | undefined;
}

/** Who answers a chat, which begins when its events are read. @throws ServiceError for what is wrong with the request */
export async function answerChat(
  scope: Scope,
  call: OpenAiCall,
  request: ToolChatRequest,
  { summary }: Pick<ModelReasoning, 'summary'> = {},
): Promise<OpenaiAnswer> {
  const { principal, header } = call;
  const target = await findAnswerer(scope, principal, request.model);
  const labels = labelsInHeaders(header);
  if (target) {
    return fromTarget(scope, { ...call, labels, isStreamed: request.stream ?? false }, target, request);
  }
  const { reasoning, ...asked } = toModelOptions(request);
  return modelAnswer(
    scope,
    { principal, labels },
    {
      asked: { ...asked, ...((reasoning || summary) && { reasoning: { ...reasoning, summary } }) },
      messagesFor: (ports, signal) => modelMessages(ports, request.messages, signal),
    },
  );
}

function fromTarget(
  scope: Scope,
  call: Parameters<typeof targetAnswer>[1],
  target: Target,
  { model, messages, tools, response_format: responseFormat }: ToolChatRequest,
): Promise<OpenaiAnswer> {
  if (tools?.length) throw notSupported('tools', 'Flows and agents have tools of their own');
  const format = responseFormat ? toModelFormat(responseFormat) : undefined;
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

type Asked = Omit<ModelRequest, 'signal' | 'messages'>;

const noParameters = { type: 'object', properties: {} };

const toModelTool = ({ name, description, parameters }: FunctionDefinition): ModelTool => ({
  name,
  ...(description && { description }),
  parameters: parameters ?? noParameters,
});

/** What a request asks of a model, but its messages. @throws 400 */
function toModelOptions(request: ToolChatRequest): Asked {
  const { model, stream, tools, response_format: format, reasoning_effort: effort, stop } = request;
  return {
    model,
    streamed: stream ?? false,
    tools: tools?.map((tool) => toModelTool(tool.function)),
    toolChoice: toToolChoice(request),
    parallelToolCalls: request.parallel_tool_calls ?? undefined,
    format: format ? toModelFormat(format) : undefined,
    ...(effort && { reasoning: { effort: effort === 'max' ? 'xhigh' : effort } }),
    settings: omitUndefined({
      temperature: request.temperature ?? undefined,
      topP: request.top_p ?? undefined,
      maxTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
      frequencyPenalty: request.frequency_penalty ?? undefined,
      presencePenalty: request.presence_penalty ?? undefined,
      seed: request.seed ?? undefined,
      stopSequences: stop == null ? undefined : [stop].flat(),
    }),
  };
}

function toToolChoice({ tools, tool_choice: choice }: ToolChatRequest): ModelRequest['toolChoice'] {
  if (typeof choice === 'string' || !choice) {
    if (choice === 'required' && !tools?.length)
      throw invalidAt('tool_choice', 'INVALID_VALUE', 'Requires tools');
    return choice ?? undefined;
  }
  const { name } = choice.function;
  assertListed(tools?.map((tool) => tool.function.name) ?? [], name);
  return { tool: name };
}

/** @throws 400 */
function assertListed(names: readonly string[], name: string): void {
  if (!names.includes(name))
    throw invalidAt('tool_choice', 'INVALID_VALUE', `The tool ${name} is not one of tools`);
}

function toModelFormat(format: ResponseFormat): ModelRequest['format'] {
  if (format.type === 'text') return { type: 'text' };
  const schema = format.type === 'json_schema' ? format.json_schema.schema : undefined;
  return { type: 'json', ...(schema && { schema }) };
}

type Loading = Pick<Ports, 'fetch' | 'assets'>;

/** The messages of a request for a model, with their images and files loaded. @throws 400 */
async function modelMessages(
  loading: Loading,
  messages: readonly CompletionMessage[],
  signal: AbortSignal,
): Promise<ModelMessage[]> {
  const names = assertAnswered(messages);
  const asked = messages.filter(({ role }) => role === 'user').map(toMessage);
  const loaded = await toModelMessages(loading, asked, signal).catch((error) => {
    if (!(error instanceof StepError)) throw error;
    throw invalidAt('messages', 'INVALID_VALUE', error.message);
  });
  return messages
    .flatMap((message): ModelMessage[] => {
      if (message.role === 'user') return [loaded.shift() as ModelMessage];
      if (message.role === 'assistant') return [{ role: 'assistant', content: toAssistantParts(message) }];
      const output = messageContentText(message.content);
      if (message.role !== 'tool') return output === '' ? [] : [{ role: 'system', content: output }];
      const { tool_call_id: id } = message;
      const result = { type: 'tool-result', id, name: names.get(id) ?? '', output } as const;
      return [{ role: 'tool', content: [result] }];
    })
    .reduce(joinMessage, []);
}

/** The same for a flow or an agent, which take no calls of tools. @throws 400 */
function plainMessages(messages: readonly CompletionMessage[]): Message[] {
  return messages.map((message, index) => {
    if (message.role === 'tool' || (message.role === 'assistant' && message.tool_calls?.length)) {
      const text = 'Flows and agents call their own tools, and take no calls of yours';
      throw invalidAt(`messages.${index}`, 'NOT_SUPPORTED', text);
    }
    return toMessage(message);
  });
}

/** What people and the model said, without calls of tools. */
export const selectSpokenMessages = (messages: readonly CompletionMessage[]): Message[] =>
  messages
    .filter(({ role }) => role !== 'tool')
    .map(toMessage)
    .filter(({ content }) => content !== '');

function toMessage(message: CompletionMessage): Message {
  const { role, content } = message;
  if (role === 'user') {
    return { role, content: typeof content === 'string' ? content : content.map(toContentPart) };
  }
  if (role === 'assistant') return { role, content: assistantText(message) };
  return { role: 'system', content: messageContentText(content as Parameters<typeof messageContentText>[0]) };
}

function toContentPart(part: UserPart): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image_url':
      return { type: 'image', image: part.image_url.url };
    case 'input_audio': {
      const { data, format } = part.input_audio;
      return { type: 'file', data, filename: `audio.${format}`, mimeType: audioMediaType(format) };
    }
    case 'file': {
      const { file_data: data, filename } = part.file;
      return { type: 'file', data, filename: filename ?? 'file', mimeType: parseMediaType(data) };
    }
  }
}

/** Of a data: URL; what else a file may be, its provider has to know. */
const parseMediaType = (data: string) => /^data:([\w!#$&^.+/-]+)[;,]/i.exec(data)?.[1] ?? 'application/pdf';

const assistantText = ({ content, refusal }: AssistantChatMessage): string => {
  if (typeof content === 'string') return content;
  const texts = (content ?? []).flatMap((part) =>
    part.type === 'text' ? [part.text] : part.type === 'refusal' ? [part.refusal] : [],
  );
  return [...texts, ...(texts.length === 0 && refusal ? [refusal] : [])].join('\n');
};

function toAssistantParts(message: AssistantChatMessage): AssistantPart[] {
  const text = assistantText(message);
  return [
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: written } }) => ({
      type: 'tool-call' as const,
      id,
      name,
      input: parseInput(written ?? ''),
    })),
  ];
}

/** Providers take only an object, whatever the model wrote. */
function parseInput(written: string): object {
  const value = tryParseJson(written);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** Providers take the results of one response as one message, and some take no system messages in a row. */
function joinMessage(before: ModelMessage[], message: ModelMessage): ModelMessage[] {
  const last = before.at(-1);
  if (message.role === 'tool' && last?.role === 'tool')
    before[before.length - 1] = { role: 'tool', content: [...last.content, ...message.content] };
  else if (message.role === 'system' && last?.role === 'system')
    before[before.length - 1] = { role: 'system', content: `${last.content}\n\n${message.content}` };
  else before.push(message);
  return before;
}

/** Each call of a tool has one result, right after its message. @returns the names of the tools by the ids of the calls. @throws 400 */
function assertAnswered(messages: readonly CompletionMessage[]): Map<string, string> {
  const names = new Map<string, string>();
  let open = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.delete(message.tool_call_id)) continue;
      const text = 'Expected the id of a call in the last message of the assistant that has no result yet';
      throw invalidAt(`messages.${index}.tool_call_id`, 'INVALID_VALUE', text);
    }
    if (open.size > 0) throw resultMissing(index, open);
    if (message.role !== 'assistant') continue;
    for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name);
    open = new Set(message.tool_calls?.map(({ id }) => id));
  }
  if (open.size > 0) throw resultMissing(messages.length, open);
  return names;
}

const resultMissing = (index: number, open: ReadonlySet<string>) =>
  invalidAt(
    `messages.${index}`,
    'INVALID_VALUE',
    `Expected the results of the calls ${[...open].slice(0, 5).join(', ')} in messages with the role tool`,
  );
