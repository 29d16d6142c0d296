import { log } from '../../core/log.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { livePorts } from '../live-ports.ts';
import { attemptRun } from '../runs/run-attempt.ts';
import { runVariables } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import { continueAsBatch } from './continue-as-batch.ts';
import { openDispatchRecorder } from './dispatch-recorder.ts';
import { stepEventEmitter } from './event-mapper.ts';
import type { Running } from './run.ts';

/** How a dispatched run came to its end, as far as its caller is concerned. */
export type Outcome =
  | { ended: { success: boolean; output: unknown; error: string | null } }
  | { paused: { until: Date; batchId: string } }
  | { cutOff: { code: 'TIMEOUT' | 'INTERNAL'; message: string } };

/** Runs the steps, and in any case writes down how that ended where the run is kept. */
export async function attempt(scope: Scope, running: Running): Promise<Outcome> {
  const {
    prepared,
    principal,
    executionId: runId,
    timeMs,
    clientSignal,
    timeout,
    signal,
    requestId,
  } = running;
  const recorder = openDispatchRecorder(scope, prepared, principal, runId);
  try {
    if (prepared.persistResults) await runVersions(scope).keep(prepared.version);
    return await runSteps(scope, running, recorder);
  } catch (error) {
    if (!signal.aborted) log.error('A dispatched run broke off', { error, requestId, runId });
    const cutOff = timeout.aborted
      ? ({
          code: 'TIMEOUT',
          message: `The run hit its time limit of ${Math.round(timeMs / 1_000)} s`,
        } as const)
      : ({ code: 'INTERNAL', message: `The service broke the run off; request ${requestId}` } as const);
    await recorder.finish(clientSignal.aborted ? 'The client went away' : cutOff.message).catch((failure) => {
      log.error('The end of a run could not be written', { error: failure, requestId, runId });
    });
    return { cutOff };
  }
}

async function runSteps(
  scope: Scope,
  running: Running,
  recorder: ReturnType<typeof openDispatchRecorder>,
): Promise<Outcome> {
  const { prepared, body, principal, executionId: runId, startedAt, signal } = running;
  const { flow, version, record } = prepared;
  const given = { inputs: body.inputs, messages: body.messages };
  const source = { flowId: flow.id, flowName: flow.name, runId, startedAt, userId: principal.userId };
  const outcome = await attemptRun({
    steps: version.steps,
    variables: runVariables({ ...source, record, ...given }),
    ports: livePorts(scope, { ...principal, runId }),
    signal,
    recorder,
    done: new Map(),
    ...(body.options.autoAppendMetadata && record?.id && { appendsTo: record.id }),
    onEvent: running.note,
    ...(running.listener && { onStepEvent: stepEventEmitter(running.emit) }),
  });
  if ('retryFrom' in outcome) throw new Error('A dispatched run is not tried again');
  if ('parked' in outcome) {
    const { until } = outcome.parked;
    return { paused: { until, batchId: await continueAsBatch(scope, running, until) } };
  }
  const { success, output, error = null } = outcome.end;
  return { ended: { success, output, error } };
}
