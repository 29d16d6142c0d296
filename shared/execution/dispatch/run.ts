import { orAborted } from '../../core/abort.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { pingEveryMs } from '../../platform/http/live-body.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import type { RunEvent } from '../engine/engine.ts';
import { attempt, type Outcome } from './attempt.ts';
import { eventBodyOf } from './event-mapper.ts';
import type { DispatchEvent, DispatchResult, EventBody } from './events.ts';
import type { Prepared } from './prepare.ts';
import type { DispatchBody } from './request.ts';
import { openRunTotals, type RunTotals } from './run-totals.ts';

export interface Dispatch {
  prepared: Prepared;
  body: DispatchBody;
  principal: Principal;
  requestId: string;
  /** How long the run may take. */
  timeMs: number;
  /** Aborted when nobody waits for the answer any more. */
  clientSignal: AbortSignal;
  /**
   * Told what happens as it happens; where it gives a promise, the run waits for that. Without it nobody listens, and
   * models answer in one piece.
   */
  listener?: (event: DispatchEvent) => Promise<void> | void;
  pingEveryMs?: number;
}

/** A dispatch that has begun. */
export interface Running extends Dispatch {
  executionId: string;
  startedAt: string;
  totals: RunTotals;
  /** Aborted when the run has taken too long. */
  timeout: AbortSignal;
  /** The same, or when nobody waits any more. */
  signal: AbortSignal;
  /** Tells the listener. Whoever goes on making more has to wait for it, but no longer than the run may take. */
  emit: (eventBody: EventBody) => Promise<void>;
  /** Takes note of what the engine tells. */
  note: (event: RunEvent) => Promise<void>;
}

type Send = (eventBody: EventBody) => Promise<void> | void;

/** Runs a prepared flow in front of its caller. A run never ends without a word, nor is it left open in the table. */
export async function runDispatch(scope: Scope, dispatch: Dispatch): Promise<DispatchResult> {
  const running = begin(scope, dispatch);
  const { prepared, send } = running;
  send({
    type: 'execution_start',
    kind: 'flow',
    startedAt: running.startedAt,
    flowId: prepared.flow.id,
    flowName: prepared.flow.name,
    totalSteps: prepared.version.steps.length,
  });
  const outcome = await withPings(dispatch, send, () => attempt(scope, running));
  const answer = answerOf(scope, running, outcome);
  send(lastEvent(scope, running, outcome, answer));
  return answer;
}

/** @returns with it what sends an event without waiting for the listener: few, so that they need no room. */
function begin(scope: Scope, dispatch: Dispatch): Running & { send: Send } {
  const { listener, prepared, body, clientSignal, timeMs } = dispatch;
  const timeout = AbortSignal.timeout(timeMs);
  const signal = AbortSignal.any([clientSignal, timeout]);
  const executionId = scope.newId('exec');
  const totals = openRunTotals();
  let seq = 0;
  const send: Send = (eventBody) => listener?.({ ...eventBody, executionId, seq: seq++ } as DispatchEvent);
  const emit = async (eventBody: EventBody) => {
    const taking = send(eventBody);
    if (taking) await orAborted(taking, signal);
  };
  const { debugMode } = body.options;
  const note = async (event: RunEvent) => {
    if (event.type === 'step_end') totals.add(event.step, event.result, { withPrompt: debugMode });
    const eventBody = eventBodyOf(event, prepared.version.steps.length, scope.now().toISOString(), debugMode);
    if (eventBody) await emit(eventBody);
  };
  const startedAt = scope.now().toISOString();
  return { ...dispatch, executionId, startedAt, totals, timeout, signal, send, emit, note };
}

function answerOf(
  { now }: Scope,
  { executionId, startedAt, totals }: Running,
  outcome: Outcome,
): DispatchResult {
  const durationMs = Math.max(0, now().getTime() - Date.parse(startedAt));
  const { steps, totalTokens } = totals;
  const common = { executionId, steps, totalTokens, totalCost: totals.totalCost(), durationMs };
  if ('cutOff' in outcome) {
    return { ...common, success: false, status: 'failed', output: null, error: outcome.cutOff.message };
  }
  if ('paused' in outcome) {
    const { batchId: batchExecutionId } = outcome.paused;
    return { ...common, success: true, status: 'paused', output: null, error: null, batchExecutionId };
  }
  return { ...common, ...outcome.ended, status: outcome.ended.success ? 'completed' : 'failed' };
}

function lastEvent(
  { now }: Scope,
  { prepared, totals }: Running,
  outcome: Outcome,
  answer: DispatchResult,
): EventBody {
  if ('cutOff' in outcome) return { type: 'execution_error', kind: 'flow', error: outcome.cutOff };
  const at = now().toISOString();
  if ('paused' in outcome) {
    const { until, batchId: batchExecutionId } = outcome.paused;
    const awaited = { awaitReason: 'wait', awaitedAt: at, until: until.toISOString() } as const;
    return { type: 'await', ...awaited, batchExecutionId };
  }
  const { success, output, error } = outcome.ended;
  const { totalCost, totalTokens, durationMs } = answer;
  return {
    type: 'execution_complete',
    kind: 'flow',
    success,
    finalOutput: output,
    ...(error !== null && { error }),
    ...{ totalCost, totalTokens, durationMs },
    totalSteps: prepared.version.steps.length,
    successfulSteps: totals.count('completed'),
    failedSteps: totals.count('failed'),
    completedAt: at,
  };
}

/** A line on which nothing comes would be closed on the way. */
async function withPings<T>(
  { listener, pingEveryMs: everyMs = pingEveryMs }: Dispatch,
  send: Send,
  work: () => Promise<T>,
): Promise<T> {
  const ping = () => void send({ type: 'ping', timestamp: new Date().toISOString() });
  const pings = listener && setInterval(ping, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(pings);
  }
}
