import type { CompletionMessage, Texts, UserPart } from '../chat/message-schemas.ts';
import { notSupported } from '../failures.ts';
import type { InputItem, InputMessage, InputPart } from './input-schemas.ts';
import type { ResponsesRequest } from './responses-request.ts';

type Assistant = Extract<CompletionMessage, { role: 'assistant' }>;

/** The input of a response as the messages of a chat. @throws 400 */
export function toChatMessages(input: ResponsesRequest['input']): CompletionMessage[] {
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
  if (isMessage(item)) messages.push(messageOf(item, path));
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

function messageOf({ role, content }: InputMessage, path: string): CompletionMessage {
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
