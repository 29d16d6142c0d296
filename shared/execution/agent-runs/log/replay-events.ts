import type { Fact, FactOf } from '../../agent-loop/facts.ts';
import type { LoopEvent } from '../../agent-loop/loop.ts';
import { openProgress } from '../../agent-loop/progress.ts';
import { apply, initialState } from '../../agent-loop/state.ts';
import type { AgentRunEvent, NumberedEvent } from '../../events/agent-run-event.ts';
import type { AgentExecution } from '../executions/agent-execution.ts';
import { eventsOf } from './fact-events.ts';
import type { LogEntry } from './run-log.ts';
import { keyOf } from './turn-numbers.ts';

/**
 * The events of a run after a number, from its log. They are those that its first reader got, except that each text
 * comes in one piece; so some numbers are missing. An event that completes something has the number that it had.
 */
export function replayEvents(
  execution: AgentExecution,
  log: readonly LogEntry[],
  after: number,
): NumberedEvent[] {
  const { start, add } = openReplay(execution);
  return [start, ...log.flatMap(add)].filter((event) => event.seq > after);
}

/** Makes events of the facts of a log, one after the other. Keeps the state, without what was said. */
export function openReplay(execution: AgentExecution) {
  const progressOf = openProgress();
  const { id: executionId } = execution;
  let turnId: string | undefined;
  let state = initialState([]);
  let seq = 0;
  const numbered = (event: AgentRunEvent, number: number): NumberedEvent => ({
    executionId,
    seq: number,
    turnId,
    event,
  });
  return {
    start: numbered({ type: 'started', execution, at: execution.startedAt }, 0),
    state: () => state,
    add({ fact, lastSeq, numbers = {} }: LogEntry): NumberedEvent[] {
      state = { ...apply(state, withoutContent(fact)), messages: [] };
      turnId = state.lastTurn?.turnId;
      const opening =
        fact.type === 'turn' ? loopEventsOf(fact).flatMap((event) => [...progressOf(event)]) : [];
      const at = { execution, state, durationMs: durationOf(execution, fact.at) };
      const closing = eventsOf(fact, progressOf, at);
      const events = [
        ...opening.map((event) => {
          seq = numbers[keyOf(event)] ?? seq + 1;
          return numbered(event, seq);
        }),
        ...closing.map((event, index) => numbered(event, lastSeq - closing.length + 1 + index)),
      ];
      seq = lastSeq;
      return events;
    },
  };
}

function withoutContent(fact: Fact): Fact {
  if (fact.type === 'result') return { ...fact, output: null };
  if (fact.type !== 'turn') return fact;
  const calls = fact.calls.map(({ input: _input, text: _text, ...call }) => call);
  return {
    ...fact,
    calls,
    message: { role: 'assistant', content: [] },
    text: '',
    reasoning: '',
    sources: [],
  };
}

export function progressAfter(log: readonly LogEntry[]): ReturnType<typeof openProgress> {
  const progressOf = openProgress();
  for (const { fact } of log) {
    const opening = fact.type === 'turn' ? loopEventsOf(fact) : [];
    for (const event of [...opening, { type: 'facts' as const, facts: [fact] }]) [...progressOf(event)];
  }
  return progressOf;
}

/** What the model said in a turn, each thing in one piece. */
function loopEventsOf(turn: FactOf<'turn'>): LoopEvent[] {
  const { turnId, text, reasoning, sources, calls } = turn;
  return [
    { type: 'turn-started', turn: turn.turn, turnId },
    ...(reasoning ? [{ type: 'reasoning-delta' as const, text: reasoning }] : []),
    ...(text ? [{ type: 'text-delta' as const, text }] : []),
    ...calls.map(({ id, name, toolType, input, text: written = '' }) => ({
      type: 'tool-call' as const,
      id,
      name,
      toolType,
      input,
      text: written,
    })),
    ...sources,
  ];
}

const durationOf = ({ startedAt }: AgentExecution, at: string) =>
  Math.max(0, Date.parse(at) - Date.parse(startedAt));
