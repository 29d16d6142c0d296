import { ifMissing } from '../../core/errors.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type AgentExecution, isOver } from './agent-execution.ts';
import { deletedRun, endWithoutLog } from './end-without-log.ts';
import { loadRun } from './load-run.ts';
import { RunLost } from './recorder.ts';
import { replayEvents } from './replay-events.ts';
import type { NumberedEvent } from './run-event.ts';

/** The events of a run in front of its caller, who also gets the end if another request ended the run. */
export async function* toTheEnd(
  scope: Scope,
  started: AgentExecution,
  events: AsyncIterable<NumberedEvent>,
): AsyncGenerator<NumberedEvent, void> {
  let told = -1;
  try {
    for await (const event of events) {
      told = event.seq;
      yield event;
    }
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
    const deleted = { execution: deletedRun(started), log: [] };
    const { execution, log } = await loadRun(scope, started.id).catch(ifMissing(deleted));
    if (!isOver(execution)) throw error;
    if (log.length === 0) return yield endWithoutLog(execution, told + 1);
    const ended = replayEvents(execution, log, -1).filter(({ event }) => event.type === 'ended');
    // The caller got pieces of texts that the log does not number.
    for (const event of ended) yield { ...event, seq: Math.max(event.seq, told + 1) };
  }
}
