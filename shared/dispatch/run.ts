import type { Principal } from '../auth/principal.ts';
import type { RunEvent } from '../flows/engine.ts';
import { runVersions } from '../flows/run-versions.ts';
import { variableOf } from '../flows/step.ts';
import { pingEveryMs } from '../http/live-body.ts';
import { log as serviceLog } from '../log.ts';
import { livePorts } from '../runs/live-ports.ts';
import { type AttemptOutcome, attemptRun } from '../runs/run-attempt.ts';
import { runVariables } from '../runs/run-variables.ts';
import type { Scope } from '../runtime.ts';
import type { DispatchEvent, DispatchResult, Told } from './events.ts';
import { openDispatchLog } from './log.ts';
import { goOnAsBatch } from './park.ts';
import type { Prepared } from './prepare.ts';
import type { DispatchBody } from './request.ts';
import { openTally, type Tally } from './tally.ts';
import { stepEventTeller, toldOf } from './tell.ts';

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

/** How a run that broke off is told of. */
class CutOff extends Error {
  readonly code: 'TIMEOUT' | 'INTERNAL';

  constructor(code: 'TIMEOUT' | 'INTERNAL', message: string) {
    super(message);
    this.code = code;
  }
}

/** Runs a prepared flow in front of its caller. A run never ends without a word, nor is it left open in the table. */
export async function runDispatch(scope: Scope, dispatch: Dispatch): Promise<DispatchResult> {
  const { prepared, body, principal, listener } = dispatch;
  const { now } = scope;
  const executionId = scope.newId('exec');
  const startedAt = now();
  let seq = 0;
  const tell = (told: Told) => listener?.({ ...told, executionId, seq: seq++ } as DispatchEvent);
  const tally = openTally();
  const run = { ...dispatch, executionId, startedAt: startedAt.toISOString(), tally, tell };
  const result = (
    end: Pick<DispatchResult, 'success' | 'status' | 'output' | 'error' | 'batchExecutionId'>,
  ) => ({
    executionId,
    ...end,
    steps: tally.steps,
    totalTokens: tally.totalTokens,
    totalCost: tally.totalCost(),
    durationMs: Math.max(0, now().getTime() - startedAt.getTime()),
  });
  tell({
    type: 'execution_start',
    kind: 'flow',
    startedAt: run.startedAt,
    flowId: prepared.flow.id,
    flowName: prepared.flow.name,
    totalSteps: prepared.version.steps.length,
  });
  const outcome = await withPings(dispatch, tell, () => attempt(scope, run));
  if (outcome instanceof CutOff) {
    const { code, message } = outcome;
    tell({ type: 'execution_error', kind: 'flow', error: { code, message } });
    return result({ success: false, status: 'failed', output: null, error: message });
  }
  if ('parked' in outcome) {
    const input = { inputs: body.inputs, messages: body.messages };
    const batchExecutionId = await goOnAsBatch(scope, { ...run, principal, input }, outcome.parked.until);
    const until = outcome.parked.until.toISOString();
    const awaitedAt = now().toISOString();
    tell({ type: 'await', awaitReason: 'wait', awaitedAt, until, batchExecutionId });
    return result({ success: true, status: 'paused', output: null, error: null, batchExecutionId });
  }
  const { success, output, error = null } = outcome.end;
  const answer = result({ success, status: success ? 'completed' : 'failed', output, error });
  tell({
    type: 'execution_complete',
    kind: 'flow',
    success,
    finalOutput: output,
    ...(error !== null && { error }),
    totalCost: answer.totalCost,
    totalTokens: answer.totalTokens,
    totalSteps: prepared.version.steps.length,
    successfulSteps: tally.count('completed'),
    failedSteps: tally.count('failed'),
    durationMs: answer.durationMs,
    completedAt: now().toISOString(),
  });
  return answer;
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

type Running = Dispatch & {
  executionId: string;
  startedAt: string;
  tally: Tally;
  tell: (told: Told) => void;
};
type Ended = Exclude<AttemptOutcome, { retryFrom: string }>;

async function attempt(scope: Scope, running: Running): Promise<Ended | CutOff> {
  const { prepared, body, principal, executionId: runId, startedAt, timeMs, gone, requestId } = running;
  const { flow, version, record } = prepared;
  const timeout = AbortSignal.timeout(timeMs);
  const signal = AbortSignal.any([gone, timeout]);
  const log = openDispatchLog(scope, prepared, principal, runId);
  const ports = livePorts(scope, { ...principal, runId });
  const outputs: Record<string, unknown> = {};
  try {
    if (prepared.keeps) await runVersions(scope).keep(version);
    const source = { flowId: flow.id, flowName: flow.name, runId, startedAt, userId: principal.userId };
    const outcome = await attemptRun({
      steps: version.steps,
      variables: runVariables({ ...source, record, inputs: body.inputs, messages: body.messages }),
      ports,
      signal,
      log,
      done: new Map(),
      onEvent: (event) => note(scope, running, outputs, event),
      ...(running.listener && { onStepEvent: stepEventTeller(running.tell) }),
    });
    if ('retryFrom' in outcome) throw new Error('A dispatched run is not tried again');
    if (body.options.autoAppendMetadata && record?.id && 'end' in outcome && outcome.end.success) {
      await ports.records.update({ id: record.id }, outputs, 'merge');
    }
    return outcome;
  } catch (error) {
    const cutOff = timeout.aborted
      ? new CutOff('TIMEOUT', `The run hit its time limit of ${Math.round(timeMs / 1_000)} s`)
      : new CutOff('INTERNAL', `The run broke off by a fault of the service; request ${requestId}`);
    if (!signal.aborted) serviceLog.error('A dispatched run broke off', { error, requestId, runId });
    const words = gone.aborted ? 'The client went away' : cutOff.message;
    await log.finish(words).catch((failure) => {
      serviceLog.error('The end of a run could not be written', { error: failure, requestId, runId });
    });
    return cutOff;
  }
}

function note(
  { now }: Scope,
  { prepared, body, tally, tell }: Running,
  outputs: Record<string, unknown>,
  event: RunEvent,
): void {
  const { debugMode } = body.options;
  if (event.type === 'step_end') {
    tally.add(event.step, event.result, { withPrompt: debugMode });
    const variable = variableOf(event.step);
    if (variable && event.result.status === 'completed') outputs[variable] = event.result.output;
  }
  const told = toldOf(event, prepared.version.steps.length, now().toISOString(), debugMode);
  if (told) tell(told);
}
