/**
 * Executes a dispatched flow in front of its caller, and yields its events.
 * The run waits until the consumer takes each event; leaving the loop ends it. Order: list the run, store its execution
 * if a webhook waits for its end, run the steps, record the end in every case, settle the budgets, emit the last event.
 * A run that suspends continues as a batch of one (`continueAsBatch`); one that waits for a tool of its caller is stored
 * as paused (`resume.ts`). Both write everything that the next process needs before this one lets go.
 * A crash leaves a listed run, and from its first checkpoint on an execution with a lease: `lost-runs.ts` ends the
 * first, `end-execution.ts` the second.
 */

import { orAborted } from '../../core/concurrency/abort.ts';
import { measure, runWithLogFields } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { toTracedRun } from '../../core/trace-context.ts';
import { type RunWait, waitView } from '../../domain/run-waits/run-wait.ts';
import { listRun, runCancelled, statusWrite } from '../../domain/runs/run-list.ts';
import type { RunOrigin } from '../../domain/runs/run-origin.ts';
import { addTotals, noTotals, totalsOfStep } from '../../domain/runs/run-use.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { continueSuspended } from '../batches/suspended-run.ts';
import type { EarlierResults, EngineRunEvent, OpenWait, StepResult, StepWait } from '../engine/engine.ts';
import { settleBudgets } from '../model-calls/budget-accounts.ts';
import { addPayer } from '../model-calls/pipeline.ts';
import { openPorts } from '../open-ports.ts';
import { openWaits } from '../run-waits/find-wait.ts';
import type { Checkpoint } from '../runs/checkpoint.ts';
import {
  callerDays,
  closeExecution,
  type Execution,
  executionEntity,
  leaseChanges,
  watchCancellation,
} from '../runs/execution.ts';
import {
  type ExecutionOutcome,
  type ExecutionTotals,
  type FlowRunEvent,
  toFlowListing,
  toFlowRun,
} from '../runs/flow-run-event.ts';
import { attemptRun } from '../runs/run-attempt.ts';
import { runVariables } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import type { LocalCall } from '../step-support/step-runner.ts';
import {
  createFlowExecution,
  getSuspendedRunExpiry,
  isStoredFirst,
  openDispatchRecorder,
} from './dispatch-recorder.ts';
import type { PreparedRun } from './prepare.ts';
import type { DispatchBody } from './request.ts';

export interface Dispatch {
  prepared: PreparedRun;
  body: Pick<DispatchBody, 'inputs' | 'messages'> & {
    options: Pick<DispatchBody['options'], 'autoAppendMetadata' | 'debugMode'>;
  };
  runsAs: Pick<Principal, 'userId' | 'organizationId'>;
  /** What the request took beyond FLOWS:EXECUTE. Whoever resumes the run needs it too. */
  permissions: readonly string[];
  surface?: RunSurface;
  /** What started the run. A resumed one has its own. */
  origin?: RunOrigin;
  executionId?: string;
  resumed?: Resumed;
  /** Of a retry: its execution, which is listed already, and what it takes over. */
  begun?: { execution: Execution; earlier: EarlierResults | undefined; repeatsUnsafe: boolean } | undefined;
  requestId: string;
  timeMs: number;
  /** Aborted when the client disconnects, which ends the run. */
  callerSignal: AbortSignal;
  /** Whether to emit `step-event`s. If not, models return their response in one piece. */
  showsProgress: boolean;
}

export interface Resumed {
  execution: Execution;
  earlier: readonly Checkpoint[];
  /** The results of its finished steps, by path. */
  done: Map<string, StepResult>;
  waiting: StepWait[];
  kept: ReadonlyMap<string, unknown>;
  answered: { path: string; output: unknown };
}

interface RunningDispatch extends Dispatch {
  execution: Execution;
  /** Aborted at the time limit. */
  timeout: AbortSignal;
  /** Aborted when somebody cancels the run. */
  cancelled: AbortSignal;
  /** When the run is in the list. */
  listed: Promise<void>;
  /** Aborted at the time limit, and when the consumer stops reading. */
  signal: AbortSignal;
  /** Waits until the consumer takes the event, at most until the time limit. */
  emit: (event: FlowRunEvent) => Promise<void>;
  onEvent: (event: EngineRunEvent) => Promise<void>;
}

/**
 * Runs a prepared flow and yields its events. The run waits until the consumer takes each event, so a slow consumer
 * slows it down; leaving the loop ends it. It always emits a final event, and leaves nothing open in the table.
 */
export async function* executeFlowRun(scope: Scope, dispatch: Dispatch): AsyncGenerator<FlowRunEvent, void> {
  const { readable, writable } = new TransformStream<FlowRunEvent, FlowRunEvent>();
  const writer = writable.getWriter();
  const left = new AbortController();
  const work = run(scope, dispatch, writer, left.signal);
  try {
    yield* readable as unknown as AsyncIterable<FlowRunEvent>;
  } finally {
    left.abort(new DOMException('The consumer stopped reading the events', 'AbortError'));
    await work;
  }
}

async function run(
  scope: Scope,
  dispatch: Dispatch,
  writer: WritableStreamDefaultWriter<FlowRunEvent>,
  left: AbortSignal,
): Promise<void> {
  const { prepared, timeMs, callerSignal, body, resumed, begun } = dispatch;
  const timeout = AbortSignal.timeout(timeMs);
  const known = resumed ?? begun;
  const execution = known?.execution ?? createFlowExecution(scope, prepared, dispatch);
  using cancelled = watchCancellation(scope, execution);
  const signal = AbortSignal.any([callerSignal, left, timeout, cancelled.signal]);
  const totals = openTotals();
  for (const result of resumed?.done.values() ?? []) totals.add(result);
  const emit = (event: FlowRunEvent) => orAborted(writer.write(event), signal);
  const onEvent = async (event: EngineRunEvent) => {
    if (event.type === 'step_end') totals.add(event.result);
    const shownEvent = toShownEvent(event, scope.now().toISOString(), body.options.debugMode);
    if (shownEvent) await emit(shownEvent);
  };
  const listed = known ? Promise.resolve() : listRun(scope, toFlowRun(execution));
  // A failure ends the run, which says so.
  const isListed = listed.catch(() => {});
  if (dispatch.showsProgress) await isListed;
  // The first and the last event do not wait for the consumer.
  const send = (event: FlowRunEvent) => void writer.write(event).catch(() => {});
  const { steps } = prepared.version;
  send({ type: 'started', execution, steps, totalSteps: steps.length });
  const outcome = await runToEnd(scope, {
    ...dispatch,
    execution,
    timeout,
    cancelled: cancelled.signal,
    listed,
    signal,
    emit,
    onEvent,
  });
  await settleBudgets(scope);
  const at = scope.now();
  const durationMs = Math.max(0, at.getTime() - Date.parse(execution.startedAt));
  send({ ...outcome, at: at.toISOString(), durationMs, totals: totals.now() });
  writer.close().catch(() => {});
}

function toShownEvent(event: EngineRunEvent, at: string, debugMode: boolean): FlowRunEvent | undefined {
  if (event.type === 'step_start') return { type: 'step-started', step: event.step, path: event.path, at };
  if (event.type !== 'step_end') return undefined;
  const { resolvedPrompt, ...result } = event.result;
  const shownResult = debugMode && resolvedPrompt !== undefined ? { ...result, resolvedPrompt } : result;
  return { type: 'step-ended', step: event.step, result: shownResult, at };
}

function openTotals() {
  const steps = { completed: 0, failed: 0, skipped: 0 };
  let totals = noTotals;
  return {
    add(result: StepResult): void {
      steps[result.status]++;
      totals = addTotals(totals, totalsOfStep(result));
    },
    now: (): ExecutionTotals => ({
      ...totals,
      completedSteps: steps.completed,
      failedSteps: steps.failed,
    }),
  };
}

/** Hands a suspended run over to a batch of one. @returns the batch's id. */
async function continueAsBatch(
  scope: Scope,
  { prepared, runsAs, body, execution, begun }: RunningDispatch,
  suspended: { waits: readonly OpenWait[]; until: Date },
): Promise<string> {
  const { id: runId, startedAt, surface, origin } = execution;
  const { flow, version, record, persistResults } = prepared;
  const recordId = record?.id ?? null;
  const ttl = persistResults ? undefined : getSuspendedRunExpiry(scope);
  await runVersions(scope).keep(version, ttl);
  const { inputs, messages, options } = body;
  const run = {
    runId,
    flow,
    version,
    runsAs,
    ...(surface && { surface }),
    ...(origin && { origin }),
    recordId,
    input: { inputs, messages, ...(record && !recordId && { record }) },
    appendsMetadata: options.autoAppendMetadata,
    ...(begun?.repeatsUnsafe && { unsafe: true as const }),
    startedAt,
    ...(ttl !== undefined && { ttl }),
  };
  // From here on the sweeper watches the batch instead of the execution.
  return continueSuspended(scope, run, suspended, (batchId) => [
    closeExecution(scope.table, runId),
    statusWrite(scope, execution, 'paused', { batchId }),
  ]);
}

/** Runs the steps. Records the end of the run in every case. */
const runToEnd = (scope: Scope, running: RunningDispatch): Promise<ExecutionOutcome> =>
  runWithLogFields({ executionId: running.execution.id, flowId: running.execution.flowId }, () =>
    runRecorded(scope, running),
  );

type CutOff = Extract<ExecutionOutcome, { type: 'cut-off' }>;

/** What GET /v1/runs/{id} shows. */
const toStoredInput = ({ body: { inputs = {}, messages }, prepared: { record } }: RunningDispatch) => ({
  inputs,
  ...(messages && { messages }),
  ...(record && !record.id && { record }),
});

async function runRecorded(scope: Scope, running: RunningDispatch): Promise<ExecutionOutcome> {
  const { prepared, runsAs, resumed, execution, cancelled, signal } = running;
  const recorder = openDispatchRecorder(scope, prepared, runsAs, execution, {
    input: toStoredInput(running),
    earlier: resumed?.earlier,
    identity: running.begun?.earlier?.continued?.identity,
    start: {
      permissions: [...running.permissions],
      appendsMetadata: running.body.options.autoAppendMetadata,
    },
    isCancelled: () => cancelled.aborted || isLeft(running),
    listed: running.listed,
  });
  try {
    if (running.showsProgress) await running.listed;
    if (isStoredFirst(execution) && !resumed) {
      await scope.table.commit([scope.table.writes.insert(executionEntity, execution)]);
    }
    if (prepared.persistResults) await runVersions(scope).keep(prepared.version);
    return await runSteps(scope, running, recorder);
  } catch (error) {
    if (!signal.aborted) log.error('A dispatched run failed', { error });
    measure('RunsFailed');
    const cutOff = toCutOffError(running);
    await recorder.finish(cutOff.message).catch((failure) => {
      log.error('The end of a run could not be recorded', { error: failure });
    });
    return { type: 'cut-off', error: cutOff };
  }
}

/** Whether the caller has disconnected, which ends the run. */
const isLeft = ({ signal, timeout, cancelled }: RunningDispatch) =>
  signal.aborted && !timeout.aborted && !cancelled.aborted;

function toCutOffError(running: RunningDispatch): CutOff['error'] {
  const { cancelled, timeout, timeMs, requestId } = running;
  // Repetitions of the request get this.
  if (isLeft(running)) return { code: 'CANCELLED', message: 'The caller disconnected' };
  if (cancelled.aborted) return { code: 'CANCELLED', message: runCancelled };
  if (timeout.aborted) {
    const message = `The run exceeded its time limit of ${Math.round(timeMs / 1_000)} s`;
    return { code: 'TIMEOUT', message };
  }
  const message = `The run failed because of an internal error; report the request id ${requestId}`;
  return { code: 'INTERNAL', message };
}

async function runSteps(
  scope: Scope,
  running: RunningDispatch,
  recorder: ReturnType<typeof openDispatchRecorder>,
): Promise<ExecutionOutcome> {
  const { prepared, body, runsAs, resumed, begun, execution, signal, showsProgress, emit, onEvent } = running;
  const { flow, version, record } = prepared;
  const { id: runId, startedAt } = execution;
  const sent = { inputs: body.inputs, messages: body.messages };
  const continued = begun?.earlier?.continued;
  const identity = continued?.identity ?? resumed?.earlier[0]?.identity;
  const source = { flowId: flow.id, flowName: flow.name, runId, startedAt, userId: runsAs.userId };
  const outcome = await attemptRun({
    steps: version.steps,
    variables: runVariables({ ...source, record, ...sent }),
    ports: addPayer(openPorts(scope, { ...execution, ...runsAs, runId, listing: toFlowListing(execution) }), {
      type: 'flow',
      id: flow.id,
    }),
    signal,
    trace: {
      ...toTracedRun(runId, execution.startedIn),
      ...(!prepared.persistResults && !resumed && { isUnkept: true as const }),
    },
    recorder,
    hasCaller: true,
    done: resumed?.done ?? new Map(),
    waiting: resumed?.waiting,
    kept: resumed?.kept ?? continued?.kept,
    earlier: begun?.earlier,
    ...(identity !== undefined && { identity }),
    repeatsUnsafe: begun?.repeatsUnsafe,
    answered: resumed?.answered,
    ...(body.options.autoAppendMetadata && record?.id && { appendsTo: record.id }),
    onEvent,
    ...(showsProgress && {
      onStepEvent: (step, event, path) => emit({ type: 'step-event', step, path, event }),
    }),
  });
  if ('retryFrom' in outcome) throw new Error('Dispatched runs have no retries');
  // The list says where a run waits, so the run must be in it.
  if (!('end' in outcome)) await running.listed;
  if ('suspended' in outcome) {
    const { until, waits } = outcome.suspended;
    const isAwaited = waits.some(({ needsResume }) => needsResume);
    const open = isAwaited ? await openWaits(scope)(runId) : [];
    const batchId = await continueAsBatch(scope, running, outcome.suspended);
    return { type: 'suspended', until, batchId, waits: open.map(toStarterView) };
  }
  if ('awaiting' in outcome) {
    const { call } = outcome.awaiting;
    return { type: 'awaiting', call, toolCallId: await pauseForCaller(scope, running, call) };
  }
  const { success, output, error = null, errorCode } = outcome.end;
  return { type: 'ended', success, output, error, ...(errorCode && { errorCode }) };
}

/** Who starts a run may continue it. */
const toStarterView = (wait: RunWait) => waitView(wait, { mayContinue: true });

/** Stores what the run needs to continue when the caller sends the output of a tool. @returns the id of the tool call. */
async function pauseForCaller(scope: Scope, running: RunningDispatch, call: LocalCall): Promise<string> {
  const { prepared, body, execution } = running;
  const { version, record, persistResults } = prepared;
  const { table, now } = scope;
  const toolCallId = scope.newId('call');
  await runVersions(scope).keep(version, persistResults ? undefined : getSuspendedRunExpiry(scope));
  const { inputs, messages, options } = body;
  const sent = { inputs, messages, ...(record && !record.id && { record }) };
  const input = await payloadWriter(scope).offload(`executions/${execution.id}/${toolCallId}`, sent);
  const paused = {
    toolCallId,
    toolName: call.toolName,
    flowVersionId: version.id,
    ...(version.subFlows && { subFlows: version.subFlows }),
    input,
    appendsMetadata: options.autoAppendMetadata,
    debugMode: options.debugMode,
    permissions: [...running.permissions],
  };
  const { set, index } = leaseChanges(
    execution,
    new Date(now().getTime() + callerDays * 86_400_000).toISOString(),
  );
  // The checkpoint that suspended the run has created the item.
  await table.commit([
    table.writes.update(
      executionEntity,
      execution,
      { set: { ...set, paused }, index },
      { expression: 'attribute_exists(PK)' },
    ),
    statusWrite(scope, execution, 'paused'),
  ]);
  return toolCallId;
}
