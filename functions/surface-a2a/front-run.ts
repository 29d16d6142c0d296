import { log } from '../../shared/core/log.ts';
import { agentRunQueue } from '../../shared/execution/agent-runs/agent-run-queue.ts';
import { execute, type Run } from '../../shared/execution/agent-runs/execute.ts';
import { releaseRun } from '../../shared/execution/agent-runs/execution-writes.ts';
import { RunLost } from '../../shared/execution/agent-runs/recorder.ts';
import type { NumberedEvent } from '../../shared/execution/agent-runs/run-event.ts';
import { toTheEnd } from '../../shared/execution/agent-runs/to-the-end.ts';
import { livePorts } from '../../shared/execution/live-ports.ts';
import type { Scope } from '../../shared/platform/data/scope.ts';

interface Front {
  /** Aborted when the caller is gone, or this process must end. The run goes on in the background. */
  stopSignal: AbortSignal;
  requestId: string;
}

/** Executes a background run in front of its caller, for as long as there is one. Then a worker continues it. */
export async function* frontRun(
  scope: Scope,
  run: Run,
  { stopSignal, requestId }: Front,
): AsyncGenerator<NumberedEvent, void> {
  const { execution } = run;
  const ports = livePorts(scope, { ...execution, runId: execution.id });
  const began = performance.now();
  try {
    yield* toTheEnd(scope, execution, execute(scope, run, { ports, streamed: true, stopSignal, requestId }));
  } catch (error) {
    if (error instanceof RunLost && !stopSignal.aborted) return log.info('Another process has the run');
    if (!(error instanceof RunLost)) log.error('A run failed in front of its caller', { error });
    await releaseRun(scope, execution, execution.activeMs + Math.round(performance.now() - began));
    await agentRunQueue(scope).send(execution.id);
  }
}
