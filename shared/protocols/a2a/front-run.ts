import { log } from '../../core/log.ts';
import { agentRunQueue } from '../../execution/agent-runs/agent-run-queue.ts';
import { execute, type Run } from '../../execution/agent-runs/execute.ts';
import { releaseRun } from '../../execution/agent-runs/executions/execution-writes.ts';
import { RunLost } from '../../execution/agent-runs/log/recorder.ts';
import type { NumberedEvent } from '../../execution/agent-runs/log/run-event.ts';
import { toTheEnd } from '../../execution/agent-runs/to-the-end.ts';
import { livePorts } from '../../execution/live-ports.ts';
import type { Scope } from '../../platform/data/scope.ts';

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
