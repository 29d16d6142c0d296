import { setTimeout as sleep } from 'node:timers/promises';
import { ifMissing } from '../../core/errors.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { replay } from '../agent-loop/state.ts';
import { isOver } from './agent-execution.ts';
import { deletedRun, endWithoutLog } from './end-without-log.ts';
import { factsOf, findExecution } from './load-run.ts';
import { replayEvents } from './replay-events.ts';
import type { NumberedEvent } from './run-event.ts';
import { type Entry, runLog } from './run-log.ts';

const pollMsMin = 250;
const pollMsMax = 2_000;

/**
 * The events of a run after a number, and then those that follow, until it ends or waits for somebody. Any number of
 * readers may follow a run.
 */
export async function* followRun(
  scope: Scope,
  executionId: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent, void> {
  const log: Entry[] = [];
  let seen = after;
  let pollMs = pollMsMin;
  // Read before the log, so that the log of an execution that is over is complete.
  let execution = await findExecution(scope, executionId);
  while (!signal.aborted) {
    const more = await runLog(scope).read(executionId, log.at(-1)?.n ?? -1);
    log.push(...more);
    for (const event of replayEvents(execution, log, seen)) {
      seen = event.seq;
      yield event;
    }
    if (isOver(execution)) {
      if (log.at(-1)?.fact.type !== 'end') yield endWithoutLog(execution, seen + 1);
      return;
    }
    // With every answer, it waits only for the process that continues it.
    if (execution.status === 'paused' && replay([], factsOf(log)).waits.length > 0) return;
    pollMs = more.length > 0 ? pollMsMin : Math.min(pollMs * 1.5, pollMsMax);
    await sleep(pollMs, undefined, { signal }).catch(() => {});
    execution = await findExecution(scope, executionId).catch(ifMissing(deletedRun(execution)));
  }
}
