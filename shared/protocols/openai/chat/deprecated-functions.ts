import { invalidAt } from '../../../core/errors/errors.ts';
import type { ChatCompletionRequest, ChatRequest } from './chat-request.ts';
import type { CompletionMessage, RequestMessage } from './message-schemas.ts';

/**
 * A request in the form that OpenAI had before tools (`functions`, `function_call`, messages with the role `function`) in
 * that of today. @throws 400
 */
export function withTools(request: ChatCompletionRequest): ChatRequest {
  const { functions, function_call: choice, messages, ...modern } = request;
  const chat = { ...modern, messages: withToolCalls(messages) };
  if (functions == null && choice == null) return chat;
  for (const name of ['tools', 'tool_choice'] as const) {
    if (request[name] != null) throw invalidAt(name, 'INVALID_VALUE', 'Expected either tools or functions');
  }
  return {
    ...chat,
    tools: functions?.map((definition) => ({ type: 'function', function: definition })),
    tool_choice: typeof choice === 'object' && choice ? chosen(functions ?? [], choice.name) : choice,
    // The form has room for one call.
    ...(functions?.length && { parallel_tool_calls: false }),
  };
}

function chosen(functions: readonly { name: string }[], name: string): ChatRequest['tool_choice'] {
  if (functions.some((each) => each.name === name)) return { type: 'function', function: { name } };
  throw invalidAt('function_call', 'INVALID_VALUE', `The function ${name} is not one of functions`);
}

/** Each call gets an id, and the message of the function after it is its result. */
function withToolCalls(messages: readonly RequestMessage[]): CompletionMessage[] {
  let open: { id: string; name: string } | undefined;
  const assertAnswered = (index: number) => {
    if (open) throw resultMissing(index, open.name);
  };
  const modern = messages.map((message, index): CompletionMessage => {
    if (message.role === 'function') {
      const { name, content, ...rest } = message;
      if (open?.name !== name) throw callMissing(index, name);
      const result = { ...rest, role: 'tool' as const, tool_call_id: open.id, content };
      open = undefined;
      return result;
    }
    assertAnswered(index);
    if (message.role !== 'assistant' || !message.function_call) return message;
    const { function_call: called, tool_calls: calls, ...rest } = message;
    if (calls?.length) throw twoForms(index);
    open = { id: madeId(index), name: called.name };
    return { ...rest, tool_calls: [{ id: open.id, type: 'function', function: called }] };
  });
  assertAnswered(messages.length);
  return modern;
}

/** Nine letters and digits, as Mistral wants them. */
const madeId = (index: number) => `call${String(index).padStart(5, '0')}`;

const callMissing = (index: number, name: string) =>
  invalidAt(
    `messages.${index}`,
    'INVALID_VALUE',
    `Expected a message of the assistant with function_call ${name} right before its result`,
  );
const resultMissing = (index: number, name: string) =>
  invalidAt(
    `messages.${index}`,
    'INVALID_VALUE',
    `Expected the result of function_call ${name} in a message with the role function`,
  );
const twoForms = (index: number) =>
  invalidAt(
    `messages.${index}.function_call`,
    'INVALID_VALUE',
    'Expected either tool_calls or function_call',
  );
