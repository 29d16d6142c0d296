/**
 * Answers an OpenAI request by a flow or an agent, as the same events that a model's answer has.
 * The run is started before the answer is returned, so that what refuses it is an error of the request; it runs on only
 * while its events are read, and ends with its caller. Streamed, texts are sent as they are written, and at the end what the
 * output has beyond them. A run that fails, pauses or is cut off throws.
 * `chat/answer-chat.ts` calls it; `model-answer.ts` is its counterpart for models.
 */
import type { JsonSchema, ModelUsage } from '../../../adapters/ports/model-port.ts';
import type { Spending } from '../../../adapters/ports/spending.ts';
import { hasCode } from '../../../core/errors/errors.ts';
import { type Message, messageText } from '../../../domain/conversations/message.ts';
import type { FlowStep } from '../../../domain/flows/steps/step.ts';
import { originOfCall, type RunLabels } from '../../../domain/runs/run-origin.ts';
import type { AgentRunEvent, NumberedEvent } from '../../../execution/agent-runs/run-events.ts';
import type { FinalEvent, FlowRunEvent } from '../../../execution/runs/flow-run-event.ts';
import { endsWithCaller } from '../../../execution/targets/ends-with-caller.ts';
import { startTarget } from '../../../execution/targets/start-target.ts';
import type { Target } from '../../../execution/targets/target.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import type { Principal } from '../../../platform/identity/principal.ts';
import { modelNotFound, runFailed, runPaused } from '../error-form.ts';
import type { AnswerEvent, OpenaiAnswer } from './streamed-answer.ts';

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

interface Run {
  executionId: string;
  isStreamed: boolean;
}

/** The answer of an agent; streamed, with the texts of its earlier turns. @throws ServiceError if it fails, or waits */
async function* agentAnswerEvents(
  events: AsyncIterable<NumberedEvent>,
  { executionId, isStreamed }: Run,
): AsyncGenerator<AnswerEvent, void> {
  const output = openOutput({ isStreamed });
  yield { type: 'start' };
  let ended: Extract<AgentRunEvent, { type: 'ended' }> | undefined;
  for await (const { event } of events) {
    if (event.type === 'text_start') output.begin();
    else if (event.type === 'text_delta') yield* output.add(event.delta);
    else if (event.type === 'reasoning_delta' && isStreamed)
      yield { type: 'reasoning-delta', text: event.delta };
    else if (event.type === 'ended') ended = event;
  }
  if (!ended) throw runPaused(executionId);
  const { end, summary } = ended;
  if (end.error !== null) throw runFailed({ executionId, error: end.error, code: end.errorCode });
  yield* output.end(end.output);
  // It was not done, as a response that reached its limit.
  const stopReason = end.stopReason === 'end_turn' ? 'stop' : 'length';
  yield { type: 'end', stopReason, usage: toUsage(summary) };
}

const toUsage = ({ inputTokens, outputTokens, cachedInputTokens }: Spending): ModelUsage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens: cachedInputTokens,
});

/**
 * The output of a flow. Streamed, that of a prompt at its end comes as it is written, and that of any other step in one
 * piece. @throws ServiceError if it fails, or waits
 */
async function* flowAnswerEvents(
  events: AsyncIterable<FlowRunEvent>,
  { executionId, isStreamed }: Run,
): AsyncGenerator<AnswerEvent, void> {
  const output = openOutput({ isStreamed });
  yield { type: 'start' };
  let shownPath: string | undefined;
  let last: FinalEvent | undefined;
  for await (const event of events) {
    if (event.type === 'started') shownPath = findTextPath(event.steps);
    else if (event.type === 'step-event' && event.path === shownPath) {
      if (event.event.type === 'text_start') output.begin();
      else if (event.event.type === 'text_delta') yield* output.add(event.event.delta);
    } else if ('totals' in event) last = event;
  }
  if (!last) throw new Error('An execution ended without its last event');
  if (last.type === 'suspended' || last.type === 'awaiting') throw runPaused(executionId);
  if (last.type === 'cut-off') throw runFailed({ executionId, error: last.error.message });
  if (!last.success) throw runFailed({ executionId, error: last.error, code: last.errorCode });
  yield* output.end(last.output);
  yield { type: 'end', stopReason: 'stop', usage: toUsage(last.totals) };
}

/** Of the last step, if its text is the output as it is. */
function findTextPath(steps: readonly FlowStep[]): string | undefined {
  const index = steps.findLastIndex(({ enabled }) => enabled);
  const { type, config } = steps[index] ?? {};
  const { responseFormat = 'text' } = (config ?? {}) as { responseFormat?: unknown };
  return type === 'prompt' && (responseFormat === 'text' || responseFormat === 'markdown')
    ? String(index)
    : undefined;
}

/** Sends the texts of a run as they are written, and what its output has beyond the last of them. */
function openOutput({ isStreamed }: { isStreamed: boolean }) {
  let text = '';
  let isAnySent = false;
  const delta = (piece: string): AnswerEvent => {
    isAnySent = true;
    return { type: 'text-delta', text: piece };
  };
  return {
    /** Another text begins. */
    begin(): void {
      text = '';
    },
    *add(piece: string): Generator<AnswerEvent> {
      if (!isStreamed || piece === '') return;
      if (text === '' && isAnySent) yield delta('\n\n');
      text += piece;
      yield delta(piece);
    },
    *end(output: unknown): Generator<AnswerEvent> {
      const whole = toText(output);
      if (whole.startsWith(text)) text = whole.slice(text.length);
      else text = whole.trim() === text.trim() ? '' : `\n\n${whole}`;
      if (text !== '') yield delta(text);
    },
  };
}

const toText = (output: unknown): string => {
  if (typeof output === 'string') return output;
  return output === null || output === undefined ? '' : JSON.stringify(output);
};
