import type { AssistantPart, ModelMessage } from '../../../adapters/ports/model-port.ts';
import type { Ports } from '../../../adapters/ports/ports.ts';
import { invalidAt } from '../../../core/errors/errors.ts';
import { StepError } from '../../../core/errors/step-error.ts';
import { jsonIn } from '../../../core/json/json.ts';
import type { ContentPart, Message } from '../../../domain/conversations/message.ts';
import { toModelMessages } from '../../../execution/model-calls/to-model-messages.ts';
import { assertAnswered } from './answered-calls.ts';
import {
  type AssistantChatMessage,
  audioMediaType,
  type CompletionMessage,
  messageContentText,
  type UserPart,
} from './message-schemas.ts';

type Loading = Pick<Ports, 'fetch' | 'assets'>;

/** The messages of a request for a model, with their images and files loaded. @throws 400 */
export async function modelMessages(
  loading: Loading,
  messages: readonly CompletionMessage[],
  signal: AbortSignal,
): Promise<ModelMessage[]> {
  const names = assertAnswered(messages);
  const asked = messages.filter(({ role }) => role === 'user').map(messageOf);
  const loaded = await toModelMessages(loading, asked, signal).catch((error) => {
    if (!(error instanceof StepError)) throw error;
    throw invalidAt('messages', 'INVALID_VALUE', error.message);
  });
  return messages
    .flatMap((message): ModelMessage[] => {
      if (message.role === 'user') return [loaded.shift() as ModelMessage];
      if (message.role === 'assistant') return [{ role: 'assistant', content: partsOf(message) }];
      const output = messageContentText(message.content);
      if (message.role !== 'tool') return output === '' ? [] : [{ role: 'system', content: output }];
      const { tool_call_id: id } = message;
      const result = { type: 'tool-result', id, name: names.get(id) ?? '', output } as const;
      return [{ role: 'tool', content: [result] }];
    })
    .reduce(withJoined, []);
}

/** The same for a flow or an agent, which take no calls of tools. @throws 400 */
export function plainMessages(messages: readonly CompletionMessage[]): Message[] {
  return messages.map((message, index) => {
    if (message.role === 'tool' || (message.role === 'assistant' && message.tool_calls?.length)) {
      const text = 'Flows and agents call their own tools, and take no calls of yours';
      throw invalidAt(`messages.${index}`, 'NOT_SUPPORTED', text);
    }
    return messageOf(message);
  });
}

/** What people and the model said, without calls of tools. */
export const spokenMessages = (messages: readonly CompletionMessage[]): Message[] =>
  messages
    .filter(({ role }) => role !== 'tool')
    .map(messageOf)
    .filter(({ content }) => content !== '');

function messageOf(message: CompletionMessage): Message {
  const { role, content } = message;
  if (role === 'user') {
    return { role, content: typeof content === 'string' ? content : content.map(contentPartOf) };
  }
  if (role === 'assistant') return { role, content: assistantText(message) };
  return { role: 'system', content: messageContentText(content as Parameters<typeof messageContentText>[0]) };
}

function contentPartOf(part: UserPart): ContentPart {
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
      return { type: 'file', data, filename: filename ?? 'file', mimeType: mediaTypeIn(data) };
    }
  }
}

/** Of a data: URL; what else a file may be, its provider has to know. */
const mediaTypeIn = (data: string) => /^data:([\w!#$&^.+/-]+)[;,]/i.exec(data)?.[1] ?? 'application/pdf';

const assistantText = ({ content, refusal }: AssistantChatMessage): string => {
  if (typeof content === 'string') return content;
  const texts = (content ?? []).flatMap((part) =>
    part.type === 'text' ? [part.text] : part.type === 'refusal' ? [part.refusal] : [],
  );
  return [...texts, ...(texts.length === 0 && refusal ? [refusal] : [])].join('\n');
};

function partsOf(message: AssistantChatMessage): AssistantPart[] {
  const text = assistantText(message);
  return [
    ...(text ? [{ type: 'text' as const, text }] : []),
    ...(message.tool_calls ?? []).map(({ id, function: { name, arguments: written } }) => ({
      type: 'tool-call' as const,
      id,
      name,
      input: inputIn(written ?? ''),
    })),
  ];
}

/** Providers take only an object, whatever the model wrote. */
function inputIn(written: string): object {
  const value = jsonIn(written);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

/** Providers take the results of one response as one message, and some take no system messages in a row. */
function withJoined(before: ModelMessage[], message: ModelMessage): ModelMessage[] {
  const last = before.at(-1);
  if (message.role === 'tool' && last?.role === 'tool')
    before[before.length - 1] = { role: 'tool', content: [...last.content, ...message.content] };
  else if (message.role === 'system' && last?.role === 'system')
    before[before.length - 1] = { role: 'system', content: `${last.content}\n\n${message.content}` };
  else before.push(message);
  return before;
}
