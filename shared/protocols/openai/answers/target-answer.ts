import type { JsonSchema } from '../../../adapters/ports/model-port.ts';
import { hasCode } from '../../../core/errors/errors.ts';
import { type Message, messageText } from '../../../domain/conversations/message.ts';
import { originOfCall, type RunLabels } from '../../../domain/runs/run-origin.ts';
import { endsWithCaller } from '../../../execution/targets/ends-with-caller.ts';
import { startTarget } from '../../../execution/targets/start-target.ts';
import type { Target } from '../../../execution/targets/target.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { modelNotFound } from '../failures.ts';
import { agentAnswerEvents } from './agent-events.ts';
import type { OpenaiAnswer } from './answer.ts';
import { flowAnswerEvents } from './flow-events.ts';

export interface TargetCall {
  principal: Principal;
  labels: RunLabels;
  requestId: string;
  timeLeftMs: number;
  isStreamed: boolean;
}

interface Asking {
  /** As the request names it. */
  model: string;
  target: Target;
  messages: readonly Message[];
  responseSchema: JsonSchema | undefined;
}

/** The answer of a flow or an agent. @throws 404 if there is none; as `startTarget` */
export async function targetAnswer(
  scope: Scope,
  { principal, labels, ...call }: TargetCall,
  { model, target, messages, responseSchema }: Asking,
): Promise<OpenaiAnswer> {
  const executionId = scope.newId('exec');
  const started = await startTarget(scope, {
    ...call,
    target,
    executionId,
    inputs: target.kind === 'flow' ? { message: lastUserText(messages) } : undefined,
    messages,
    environment: principal.environment,
    owner: principal,
    surfaceType: 'api',
    origin: originOfCall(principal, labels),
    policy: endsWithCaller,
    ...(responseSchema && { forAgent: { responseSchema } }),
  }).catch((error) => {
    throw hasCode(error, 'NOT_FOUND') ? modelNotFound(model) : error;
  });
  const { isStreamed } = call;
  return {
    runId: executionId,
    model,
    startedAt: scope.now(),
    events: (signal) =>
      started.kind === 'flow'
        ? flowAnswerEvents(started.events(signal), { executionId, isStreamed })
        : agentAnswerEvents(started.events(signal), { executionId, isStreamed }),
  };
}

const lastUserText = (messages: readonly Message[]): string => {
  const last = messages.findLast(({ role }) => role === 'user');
  return last ? messageText(last) : '';
};
