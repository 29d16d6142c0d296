import { ifMissing } from '../../core/errors/errors.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { describeEarlyEnd, type LoopProgress, openStarts } from '../agent-loop/progress.ts';
import { type AgentExecution, isExecutionOver } from './agent-execution.ts';
import { type AgentRunEvent, type NumberedEvent, replayEvents } from './run-events.ts';
import { RunLost } from './run-journal.ts';
import { type EndEvent, endWithoutLog, loadRun, toDeletedRun } from './run-log.ts';

/** The events of a run in front of its caller, who also gets the end if another request ended the run. */
export async function* readEventsToEnd(
  scope: Scope,
  started: AgentExecution,
  events: AsyncIterable<NumberedEvent>,
): AsyncGenerator<NumberedEvent, void> {
  const starts = openStarts();
  let last: NumberedEvent | undefined;
  try {
    for await (const event of events) {
      last = event;
      if (isProgress(event.event)) starts.track(event.event);
      yield event;
    }
  } catch (error) {
    if (!(error instanceof RunLost)) throw error;
    const deleted = { execution: toDeletedRun(started), log: [] };
    const { execution, log } = await loadRun(scope, started.id).catch(ifMissing(deleted));
    if (!isExecutionOver(execution)) throw error;
    const ended = log.length > 0 ? replayEvents(execution, log, -1).find(isEnd) : undefined;
    const end = ended ?? endWithoutLog(execution, 0);
    const why = {
      error: execution.error ?? describeEarlyEnd(String(execution.stopReason)),
      at: end.event.end.at,
    };
    // The caller got pieces of texts that the log does not number.
    let lastSeq = last?.seq ?? -1;
    const turnId = last?.turnId;
    for (const event of starts.ends(why)) yield { executionId: execution.id, seq: ++lastSeq, turnId, event };
    yield { ...end, seq: Math.max(end.seq, lastSeq + 1) };
  }
}

const isProgress = (event: AgentRunEvent): event is LoopProgress =>
  event.type !== 'started' && event.type !== 'awaiting' && event.type !== 'ended';

const isEnd = (event: NumberedEvent): event is EndEvent => event.event.type === 'ended';
