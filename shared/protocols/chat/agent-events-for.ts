import { log } from '../../core/log.ts';
import { endRun } from '../../execution/agent-runs/end-run.ts';
import { execute, type Run } from '../../execution/agent-runs/execute.ts';
import { followRun } from '../../execution/agent-runs/log/follow-run.ts';
import { RunLost } from '../../execution/agent-runs/log/recorder.ts';
import type { NumberedEvent } from '../../execution/agent-runs/log/run-event.ts';
import { toTheEnd } from '../../execution/agent-runs/to-the-end.ts';
import { livePorts } from '../../execution/live-ports.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentEvents } from '../sse/agent-events.ts';
import type { EventsFor } from './turn.ts';

/** The events of a run that this process has. */
export const agentEventsFor =
  (scope: Scope, run: Run, requestId: string): EventsFor =>
  (signal) =>
    agentEvents(eventsOf(scope, run, requestId, signal));

/** If a worker has the run in the end, its log has the rest. */
async function* eventsOf(
  scope: Scope,
  run: Run,
  requestId: string,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  let told = run.toldSeq;
  try {
    for await (const event of toTheEnd(scope, run.execution, executed(scope, run, requestId, signal))) {
      told = event.seq;
      yield event;
    }
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
    yield* followRun(scope, run.execution.id, told, signal);
  }
}

/**
 * A run of a chat counts as one in the background, so that a worker continues it if this process dies. A failure in this
 * process ends it: nobody would read what a worker does. @throws RunLost
 */
async function* executed(
  scope: Scope,
  run: Run,
  requestId: string,
  callerSignal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  const { id } = run.execution;
  const ports = livePorts(scope, { ...run.execution, runId: id });
  try {
    yield* execute(scope, run, { ports, streamed: true, callerSignal, requestId });
  } catch (error) {
    if (error instanceof RunLost) throw error;
    log.error('A run of a chat failed', { error, executionId: id });
    await endRun(scope, id, {
      stopReason: 'error',
      error: 'The run failed because of an internal error',
    });
    throw new RunLost(String(error));
  }
}
