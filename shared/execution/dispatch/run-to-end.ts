import { measure, withLogFields } from '../../core/invocation.ts';
import { log } from '../../core/log.ts';
import { tracedRun } from '../../core/tracing/trace-context.ts';
import { type RunWait, waitView } from '../../domain/run-waits/run-wait.ts';
import { runCancelled, statusWrite } from '../../domain/runs/run-list.ts';
import { payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { paidBy } from '../budgets/payers.ts';
import { livePorts } from '../live-ports.ts';
import { openWaits } from '../run-waits/find-wait.ts';
import { callerDays, executionEntity, leaseChanges } from '../runs/execution.ts';
import type { ExecutionOutcome } from '../runs/flow-run-event.ts';
import { listingOfFlow } from '../runs/flow-run-listing.ts';
import { attemptRun } from '../runs/run-attempt.ts';
import { runVariables } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import type { LocalCall } from '../step-support/step-runner.ts';
import { continueAsBatch } from './continue-as-batch.ts';
import { isStoredFirst, openDispatchRecorder, suspendedRunExpiresAt } from './dispatch-recorder.ts';
import type { RunningDispatch } from './execute-flow-run.ts';

/** Runs the steps. Records the end of the run in every case. */
export const runToEnd = (scope: Scope, running: RunningDispatch): Promise<ExecutionOutcome> =>
  withLogFields({ executionId: running.execution.id, flowId: running.execution.flowId }, () =>
    runRecorded(scope, running),
  );

type CutOff = Extract<ExecutionOutcome, { type: 'cut-off' }>;

/** What GET /v1/runs/{id} shows. */
const inputOf = ({ body: { inputs = {}, messages }, prepared: { record } }: RunningDispatch) => ({
  inputs,
  ...(messages && { messages }),
  ...(record && !record.id && { record }),
});

async function runRecorded(scope: Scope, running: RunningDispatch): Promise<ExecutionOutcome> {
  const { prepared, runsAs, resumed, execution, cancelled, signal } = running;
  const recorder = openDispatchRecorder(scope, prepared, runsAs, execution, {
    input: inputOf(running),
    earlier: resumed?.earlier,
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
    const cutOff = cutOffOf(running);
    await recorder.finish(cutOff.message).catch((failure) => {
      log.error('The end of a run could not be recorded', { error: failure });
    });
    return { type: 'cut-off', error: cutOff };
  }
}

/** Whether the caller has disconnected, which ends the run. */
const isLeft = ({ signal, timeout, cancelled }: RunningDispatch) =>
  signal.aborted && !timeout.aborted && !cancelled.aborted;

function cutOffOf(running: RunningDispatch): CutOff['error'] {
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
  const { prepared, body, runsAs, resumed, execution, signal, showsProgress, emit, onEvent } = running;
  const { flow, version, record } = prepared;
  const { id: runId, startedAt } = execution;
  const given = { inputs: body.inputs, messages: body.messages };
  const source = { flowId: flow.id, flowName: flow.name, runId, startedAt, userId: runsAs.userId };
  const outcome = await attemptRun({
    steps: version.steps,
    variables: runVariables({ ...source, record, ...given }),
    ports: paidBy(livePorts(scope, { ...execution, ...runsAs, runId, listing: listingOfFlow(execution) }), {
      type: 'flow',
      id: flow.id,
    }),
    signal,
    trace: {
      ...tracedRun(runId, execution.startedIn),
      ...(!prepared.persistResults && !resumed && { isUnkept: true as const }),
    },
    recorder,
    hasCaller: true,
    done: resumed?.done ?? new Map(),
    waiting: resumed?.waiting,
    kept: resumed?.kept,
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
    return { type: 'suspended', until, batchId, waits: open.map(shownToStarter) };
  }
  if ('awaiting' in outcome) {
    const { call } = outcome.awaiting;
    return { type: 'awaiting', call, toolCallId: await pauseForCaller(scope, running, call) };
  }
  const { success, output, error = null, errorCode } = outcome.end;
  return { type: 'ended', success, output, error, ...(errorCode && { errorCode }) };
}

/** Who starts a run may continue it. */
const shownToStarter = (wait: RunWait) => waitView(wait, { mayContinue: true });

/** Stores what the run needs to continue when the caller sends the output of a tool. @returns the id of the tool call. */
async function pauseForCaller(scope: Scope, running: RunningDispatch, call: LocalCall): Promise<string> {
  const { prepared, body, execution } = running;
  const { version, record, persistResults } = prepared;
  const { table, now } = scope;
  const toolCallId = scope.newId('call');
  await runVersions(scope).keep(version, persistResults ? undefined : suspendedRunExpiresAt(scope));
  const { inputs, messages, options } = body;
  const given = { inputs, messages, ...(record && !record.id && { record }) };
  const input = await payloadWriter(scope).offload(`executions/${execution.id}/${toolCallId}`, given);
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
