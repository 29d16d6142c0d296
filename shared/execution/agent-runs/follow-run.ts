import { setTimeout as sleep } from 'node:timers/promises';
import type { Scope } from '../../platform/data/scope.ts';
import type { StopReason } from '../agent-loop/facts.ts';
import { type AgentExecution, isOver } from './agent-execution.ts';
import { findExecution } from './load-run.ts';
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
  while (!signal.aborted) {
    // Read before the log, so that the log of an execution that is over is complete.
    const execution = await findExecution(scope, executionId);
    const more = await runLog(scope).read(executionId, log.at(-1)?.n ?? -1);
    log.push(...more);
    for (const event of replayEvents(execution, log, seen)) {
      seen = event.seq;
      yield event;
    }
    if (isOver(execution)) {
      if (log.at(-1)?.fact.type !== 'end') yield endOf(execution, seen + 1);
      return;
    }
    if (execution.status === 'paused') return;
    pollMs = more.length > 0 ? pollMsMin : Math.min(pollMs * 1.5, pollMsMax);
    await sleep(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** The end of a run whose log was deleted. */
function endOf(execution: AgentExecution, seq: number): NumberedEvent {
  const { id: executionId, stopReason, error, startedAt, completedAt, totalCost: cost } = execution;
  const { iterations, inputTokens, outputTokens } = execution;
  const at = completedAt ?? startedAt;
  return {
    ...{ executionId, seq, turnId: undefined },
    event: {
      type: 'ended',
      end: { type: 'end', stopReason: (stopReason ?? 'error') as StopReason, output: null, error, at },
      summary: {
        ...{
          iterations: iterations ?? 0,
          inputTokens: inputTokens ?? 0,
          outputTokens: outputTokens ?? 0,
          cost,
        },
        durationMs: Math.max(0, Date.parse(at) - Date.parse(startedAt)),
      },
    },
  };
}
