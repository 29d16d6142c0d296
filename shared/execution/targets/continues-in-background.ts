import { log } from '../../core/log.ts';
import { agentRunQueue } from '../../domain/agents/agent-run-queue.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { releaseRun } from '../agent-runs/agent-execution.ts';
import { readEventsToEnd } from '../agent-runs/events-to-end.ts';
import type { AgentRun } from '../agent-runs/execute-agent-run.ts';
import type { NumberedEvent } from '../agent-runs/run-events.ts';
import { RunLost } from '../agent-runs/run-journal.ts';
import { executeInFront, type FrontPolicy } from './front-policy.ts';

/** A worker continues the run when the caller leaves, when it fails here, and if its process dies. Takes `agentRunQueue`. */
export const continuesInBackground: FrontPolicy = {
  background: true,
  outlivesProcess: true,
  events: (scope, run, front) => (stopSignal) =>
    streamHandover(scope, run, executeInFront(scope, run, front, { stopSignal }), stopSignal),
};

/** For as long as there is a caller. Then a worker continues the run. */
async function* streamHandover(
  scope: Scope,
  { execution }: AgentRun,
  events: AsyncIterable<NumberedEvent>,
  stopSignal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  const began = performance.now();
  try {
    yield* readEventsToEnd(scope, execution, events);
  } catch (error) {
    if (error instanceof RunLost && !stopSignal.aborted) return log.info('Another process has the run');
    if (!(error instanceof RunLost)) log.error('A run failed in front of its caller', { error });
    await releaseRun(scope, execution, execution.activeMs + Math.round(performance.now() - began));
    await agentRunQueue(scope).send(execution.id);
  }
}
