import type { ModelReasoning } from '../../../adapters/ports/model-port.ts';
import { invalidAt } from '../../../core/errors/errors.ts';
import { labelsInHeaders } from '../../../domain/runs/run-labels.ts';
import type { Target } from '../../../execution/targets/target.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import type { OpenaiAnswer } from '../answers/answer.ts';
import { findAnswerer } from '../answers/answerer.ts';
import { modelAnswer } from '../answers/model-answer.ts';
import { targetAnswer } from '../answers/target-answer.ts';
import { notSupported } from '../failures.ts';
import type { ChatRequest } from './chat-request.ts';
import { modelMessages, plainMessages } from './model-messages.ts';
import { toModelFormat, toModelOptions } from './model-request.ts';

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
  request: ChatRequest,
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
  { model, messages, tools, response_format: given }: ChatRequest,
): Promise<OpenaiAnswer> {
  if (tools?.length) throw notSupported('tools', 'Flows and agents have tools of their own');
  const format = given ? toModelFormat(given) : undefined;
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
