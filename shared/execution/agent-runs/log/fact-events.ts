import type { Fact } from '../../agent-loop/facts.ts';
import type { openProgress } from '../../agent-loop/progress.ts';
import type { RunState } from '../../agent-loop/state.ts';
import type { AgentRunEvent, RunSummary } from '../../events/agent-run-event.ts';
import type { AgentExecution } from '../executions/agent-execution.ts';

interface At {
  execution: AgentExecution;
  /** After the fact. */
  state: RunState;
  durationMs: number;
}

/** The events of a fact: those of the loop, and those that concern the run as a whole. */
export const factEvents = (
  fact: Fact,
  progressOf: ReturnType<typeof openProgress>,
  at: At,
): AgentRunEvent[] => [...progressOf({ type: 'facts', facts: [fact] }), ...eventsOfRun(fact, at)];

function eventsOfRun(fact: Fact, { execution, state, durationMs }: At): AgentRunEvent[] {
  switch (fact.type) {
    case 'continue':
      return [{ type: 'started', execution, at: fact.at }];
    // What a paused run still waits for.
    case 'decision':
    case 'result':
      return state.waits.map((wait) => ({ type: 'awaiting', wait, at: fact.at, durationMs }));
    case 'pause':
      return fact.waits.map((wait) => ({ type: 'awaiting', wait, at: fact.at, durationMs }));
    case 'end':
      return [{ type: 'ended', end: fact, summary: summaryOf(state, durationMs) }];
    default:
      return [];
  }
}

const summaryOf = ({ turns, totals }: RunState, durationMs: number): RunSummary => ({
  iterations: turns,
  inputTokens: totals.inputTokens,
  outputTokens: totals.outputTokens,
  cachedInputTokens: totals.cachedInputTokens,
  cacheSavings: totals.cacheSavings.toFixed(),
  cost: totals.isPriced ? totals.cost.toFixed() : null,
  warnings: totals.warnings,
  durationMs,
});
