import type { Principal } from '../auth/principal.ts';
import type { RunEvent } from '../flows/engine.ts';
import { pingEveryMs } from '../http/live-body.ts';
import type { Scope } from '../runtime.ts';
import { attempt, type Outcome } from './attempt.ts';
import type { DispatchEvent, DispatchResult, Told } from './events.ts';
import type { Prepared } from './prepare.ts';
import type { DispatchBody } from './request.ts';
import { openTally, type Tally } from './tally.ts';
import { toldOf } from './tell.ts';

export interface Dispatch {
  prepared: Prepared;
  body: DispatchBody;
  principal: Principal;
  requestId: string;
  /** How long the run may take. */
  timeMs: number;
  /** Aborted when nobody waits for the answer any more. */
  gone: AbortSignal;
  /** Told what happens as it happens; without it nobody listens, and models answer in one piece. */
  listener?: (event: DispatchEvent) => void;
  pingEveryMs?: number;
}

/** A dispatch that has begun. */
export interface Running extends Dispatch {
  executionId: string;
  startedAt: string;
  tally: Tally;
  tell: (told: Told) => void;
  /** Takes note of what the engine tells. */
  note: (event: RunEvent) => void;
}

/** Runs a prepared flow in front of its caller. A run never ends without a word, nor is it left open in the table. */
export async function runDispatch(scope: Scope, dispatch: Dispatch): Promise<DispatchResult> {
  const running = begin(scope, dispatch);
  const { prepared, tell } = running;
  tell({
    type: 'execution_start',
    kind: 'flow',
    startedAt: running.startedAt,
    flowId: prepared.flow.id,
    flowName: prepared.flow.name,
    totalSteps: prepared.version.steps.length,
  });
  const outcome = await withPings(dispatch, tell, () => attempt(scope, running));
  const answer = answerOf(scope, running, outcome);
  tell(lastEvent(scope, running, outcome, answer));
  return answer;
}

function begin(scope: Scope, dispatch: Dispatch): Running {
  const { listener, prepared, body } = dispatch;
  const executionId = scope.newId('exec');
  const tally = openTally();
  let seq = 0;
  const tell = (told: Told) => listener?.({ ...told, executionId, seq: seq++ } as DispatchEvent);
  const { debugMode } = body.options;
  const note = (event: RunEvent) => {
    if (event.type === 'step_end') tally.add(event.step, event.result, { withPrompt: debugMode });
    const told = toldOf(event, prepared.version.steps.length, scope.now().toISOString(), debugMode);
    if (told) tell(told);
  };
  return { ...dispatch, executionId, startedAt: scope.now().toISOString(), tally, tell, note };
}

function answerOf(
  { now }: Scope,
  { executionId, startedAt, tally }: Running,
  outcome: Outcome,
): DispatchResult {
  const durationMs = Math.max(0, now().getTime() - Date.parse(startedAt));
  const { steps, totalTokens } = tally;
  const common = { executionId, steps, totalTokens, totalCost: tally.totalCost(), durationMs };
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
  { prepared, tally }: Running,
  outcome: Outcome,
  answer: DispatchResult,
): Told {
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
    successfulSteps: tally.count('completed'),
    failedSteps: tally.count('failed'),
    completedAt: at,
  };
}

/** A line on which nothing comes would be closed on the way. */
async function withPings<T>(
  { listener, pingEveryMs: everyMs = pingEveryMs }: Dispatch,
  tell: (told: Told) => void,
  work: () => Promise<T>,
): Promise<T> {
  const ping = () => tell({ type: 'ping', timestamp: new Date().toISOString() });
  const pings = listener && setInterval(ping, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(pings);
  }
}
