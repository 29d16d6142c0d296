import { log } from '../../core/log.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentRunQueue } from '../agent-runs/agent-run-queue.ts';
import { endRun } from '../agent-runs/end-run.ts';
import { eventsToEnd } from '../agent-runs/events-to-end.ts';
import { type AgentRun, executeAgentRun } from '../agent-runs/execute-agent-run.ts';
import { releaseRun } from '../agent-runs/executions/execution-writes.ts';
import { followRun } from '../agent-runs/log/follow-run.ts';
import { RunLost } from '../agent-runs/log/recorder.ts';
import type { NumberedEvent } from '../events/agent-run-event.ts';
import { livePorts } from '../live-ports.ts';

/**
 * What becomes of an agent's run in front of its caller.
 * - `ends`: it is cancelled when the caller leaves, and lost with its process.
 * - `survives`: it is cancelled when the caller leaves. A worker continues it if its process dies.
 * - `continues`: a worker continues it when the caller leaves, when it fails here, and if its process dies.
 */
export type FrontPolicy = 'ends' | 'survives' | 'continues';

interface Front {
  policy: FrontPolicy;
  isStreamed: boolean;
  requestId: string;
}

type Events = (signal: AbortSignal) => AsyncGenerator<NumberedEvent, void>;

/** The events of a run that this process has. @param signal Aborted when its caller leaves. */
export const runInFront =
  (scope: Scope, run: AgentRun, { policy, isStreamed, requestId }: Front): Events =>
  (signal) => {
    const ports = livePorts(scope, { ...run.execution, runId: run.execution.id });
    const common = { ports, streamed: isStreamed, requestId };
    if (policy === 'continues') {
      return handedOver(scope, run, executeAgentRun(scope, run, { ...common, stopSignal: signal }), signal);
    }
    const events = executeAgentRun(scope, run, { ...common, callerSignal: signal });
    return policy === 'ends'
      ? eventsToEnd(scope, run.execution, events)
      : followed(scope, run, endedIfFailed(scope, run, events), signal);
  };

/** If a worker has the run in the end, its log has the rest. */
async function* followed(
  scope: Scope,
  { execution, sentSeq }: AgentRun,
  events: AsyncIterable<NumberedEvent>,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  let last = sentSeq;
  try {
    for await (const event of eventsToEnd(scope, execution, events)) {
      last = event.seq;
      yield event;
    }
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
    yield* followRun(scope, execution.id, last, signal);
  }
}

/** A failure in this process ends a run: nobody would read what a worker does. @throws RunLost */
async function* endedIfFailed(
  scope: Scope,
  { execution: { id } }: AgentRun,
  events: AsyncIterable<NumberedEvent>,
): AsyncGenerator<NumberedEvent, void> {
  try {
    yield* events;
  } catch (error) {
    if (error instanceof RunLost) throw error;
    log.error('A run failed in front of its caller', { error, executionId: id });
    await endRun(scope, id, {
      stopReason: 'error',
      error: 'The run failed because of an internal error',
    });
    throw new RunLost(String(error));
  }
}

/** For as long as there is a caller. Then a worker continues the run. */
async function* handedOver(
  scope: Scope,
  { execution }: AgentRun,
  events: AsyncIterable<NumberedEvent>,
  stopSignal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  const began = performance.now();
  try {
    yield* eventsToEnd(scope, execution, events);
  } catch (error) {
    if (error instanceof RunLost && !stopSignal.aborted) return log.info('Another process has the run');
    if (!(error instanceof RunLost)) log.error('A run failed in front of its caller', { error });
    await releaseRun(scope, execution, execution.activeMs + Math.round(performance.now() - began));
    await agentRunQueue(scope).send(execution.id);
  }
}
