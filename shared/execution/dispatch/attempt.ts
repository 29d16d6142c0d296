import { log as serviceLog } from '../../core/log.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { livePorts } from '../live-ports.ts';
import { attemptRun } from '../runs/run-attempt.ts';
import { runVariables } from '../runs/run-variables.ts';
import { runVersions } from '../runs/run-versions.ts';
import { openDispatchLog } from './log.ts';
import { goOnAsBatch } from './park.ts';
import type { Running } from './run.ts';
import { stepEventTeller } from './tell.ts';

/** How a dispatched run came to its end, as far as its caller is concerned. */
export type Outcome =
  | { ended: { success: boolean; output: unknown; error: string | null } }
  | { paused: { until: Date; batchId: string } }
  | { cutOff: { code: 'TIMEOUT' | 'INTERNAL'; message: string } };

/** Runs the steps, and in any case writes down how that ended where the run is kept. */
export async function attempt(scope: Scope, running: Running): Promise<Outcome> {
  const { prepared, principal, executionId: runId, timeMs, gone, timeout, signal, requestId } = running;
  const log = openDispatchLog(scope, prepared, principal, runId);
  try {
    if (prepared.keeps) await runVersions(scope).keep(prepared.version);
    return await runSteps(scope, running, log);
  } catch (error) {
    if (!signal.aborted) serviceLog.error('A dispatched run broke off', { error, requestId, runId });
    const cutOff = timeout.aborted
      ? ({
          code: 'TIMEOUT',
          message: `The run hit its time limit of ${Math.round(timeMs / 1_000)} s`,
        } as const)
      : ({ code: 'INTERNAL', message: `The service broke the run off; request ${requestId}` } as const);
    await log.finish(gone.aborted ? 'The client went away' : cutOff.message).catch((failure) => {
      serviceLog.error('The end of a run could not be written', { error: failure, requestId, runId });
    });
    return { cutOff };
  }
}

async function runSteps(
  scope: Scope,
  running: Running,
  log: ReturnType<typeof openDispatchLog>,
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
    log,
    done: new Map(),
    ...(body.options.autoAppendMetadata && record?.id && { appendsTo: record.id }),
    onEvent: running.note,
    ...(running.listener && { onStepEvent: stepEventTeller(running.tell) }),
  });
  if ('retryFrom' in outcome) throw new Error('A dispatched run is not tried again');
  if ('parked' in outcome) {
    const { until } = outcome.parked;
    return { paused: { until, batchId: await goOnAsBatch(scope, running, until) } };
  }
  const { success, output, error = null } = outcome.end;
  return { ended: { success, output, error } };
}
