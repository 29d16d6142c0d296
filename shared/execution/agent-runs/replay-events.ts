import type { FactOf } from '../agent-loop/facts.ts';
import type { LoopEvent } from '../agent-loop/loop.ts';
import { openProgress } from '../agent-loop/progress.ts';
import { apply, initialState } from '../agent-loop/state.ts';
import type { AgentExecution } from './agent-execution.ts';
import { eventsOf } from './fact-events.ts';
import type { AgentRunEvent, NumberedEvent } from './run-event.ts';
import type { Entry } from './run-log.ts';
import { keyOf } from './turn-numbers.ts';

/**
 * The events of a run after a number, from its log. They are those that its first reader got, except that each text
 * comes in one piece; so some numbers are missing. An event that completes something has the number that it had.
 */
export function replayEvents(
  execution: AgentExecution,
  log: readonly Entry[],
  after: number,
): NumberedEvent[] {
  const progressOf = openProgress();
  const { id: executionId } = execution;
  let turnId: string | undefined;
  const numbered = (event: AgentRunEvent, number: number): NumberedEvent => ({
    executionId,
    seq: number,
    turnId,
    event,
  });
  const events = [numbered({ type: 'started', execution, at: execution.startedAt }, 0)];
  let state = initialState([]);
  let seq = 0;
  for (const { fact, lastSeq, numbers = {} } of log) {
    state = apply(state, fact);
    turnId = state.lastTurn?.turnId;
    const opening = fact.type === 'turn' ? loopEventsOf(fact).flatMap((event) => [...progressOf(event)]) : [];
    const at = { execution, state, durationMs: durationOf(execution, fact.at) };
    const closing = eventsOf(fact, progressOf, at);
    events.push(
      ...opening.map((event) => {
        seq = numbers[keyOf(event)] ?? seq + 1;
        return numbered(event, seq);
      }),
      ...closing.map((event, index) => numbered(event, lastSeq - closing.length + 1 + index)),
    );
    seq = lastSeq;
  }
  return events.filter((event) => event.seq > after);
}

/** What the model said in a turn, each thing in one piece. */
function loopEventsOf(turn: FactOf<'turn'>): LoopEvent[] {
  const { turnId, text, reasoning, sources, calls } = turn;
  return [
    { type: 'turn-started', turn: turn.turn, turnId },
    ...(reasoning ? [{ type: 'reasoning-delta' as const, text: reasoning }] : []),
    ...(text ? [{ type: 'text-delta' as const, text }] : []),
    ...calls.map(({ id, name, toolType, input, text: written = '' }) => ({
      ...{ type: 'tool-call' as const, id, name, toolType, input, text: written },
    })),
    ...sources,
  ];
}

const durationOf = ({ startedAt }: AgentExecution, at: string) =>
  Math.max(0, Date.parse(at) - Date.parse(startedAt));
