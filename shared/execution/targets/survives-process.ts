import { log } from '../../core/log.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { readEventsToEnd } from '../agent-runs/events-to-end.ts';
import type { AgentRun } from '../agent-runs/execute-agent-run.ts';
import { followRun } from '../agent-runs/follow-run.ts';
import type { NumberedEvent } from '../agent-runs/run-events.ts';
import { RunLost } from '../agent-runs/run-journal.ts';
import { endRun } from '../agent-runs/sweep-runs.ts';
import { executeInFront, type FrontPolicy } from './front-policy.ts';

/** Cancelled when the caller leaves. A worker continues the run if its process dies. */
export const survivesProcess: FrontPolicy = {
  background: true,
  outlivesProcess: false,
  events: (scope, run, front) => (callerSignal, alsoAtEnd) => {
    const events = executeInFront(scope, run, front, { callerSignal, alsoAtEnd });
    return followToEnd(scope, run, endIfFailed(scope, run, events), callerSignal);
  },
};

/** If a worker has the run in the end, its log has the rest. */
async function* followToEnd(
  scope: Scope,
  { execution, sentSeq }: AgentRun,
  events: AsyncIterable<NumberedEvent>,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  let last = sentSeq;
  try {
    for await (const event of readEventsToEnd(scope, execution, events)) {
      last = event.seq;
      yield event;
    }
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
    yield* followRun(scope, execution.id, last, signal);
  }
}

/** A failure in this process ends a run: nobody would read what a worker does. @throws RunLost */
async function* endIfFailed(
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
