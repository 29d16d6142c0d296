import type { Fact } from '../../agent-loop/facts.ts';
import { openProgress } from '../../agent-loop/progress.ts';
import { apply, initialState } from '../../agent-loop/state.ts';
import type { AgentRunEvent, NumberedEvent } from '../../events/agent-run-event.ts';
import type { AgentExecution } from '../executions/agent-execution.ts';
import type { Piece } from '../pieces/piece-store.ts';
import { endWithoutLog } from './end-without-log.ts';
import { factEvents } from './fact-events.ts';
import { trackSentTurn, turnEvents } from './loop-events.ts';
import type { LogEntry } from './run-log.ts';
import { numbersBetween } from './turn-numbers.ts';

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

/**
 * Makes events of the facts of a log, one after the other, and of the pieces that come before a fact. Keeps the state,
 * without what was said.
 */
export function openReplay(execution: AgentExecution) {
  const progressOf = openProgress();
  const sentTurn = trackSentTurn();
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
  const following = (events: Iterable<AgentRunEvent>) => [...events].map((event) => numbered(event, ++seq));

  /** The end of a turn that was told, but is not the one that goes on. */
  function lostBefore(nextTurn: string, at: string): NumberedEvent[] {
    const id = sentTurn.id();
    if (id === undefined || id === nextTurn) return [];
    sentTurn.forget();
    return following(progressOf({ type: 'turn-lost', at }));
  }

  return {
    start: numbered({ type: 'started', execution, at: execution.startedAt }, 0),
    state: () => state,

    add({ fact, lastSeq, numbers = {} }: LogEntry): NumberedEvent[] {
      const lost = fact.type === 'turn' ? lostBefore(fact.turnId, fact.at) : [];
      state = { ...apply(state, withoutContent(fact)), messages: [] };
      turnId = sentTurn.id() ?? state.lastTurn?.turnId;
      const wasSent = fact.type === 'turn' && sentTurn.id() === fact.turnId;
      const said = fact.type === 'turn' ? turnEvents(fact) : [];
      const opening = (wasSent ? sentTurn.restOf(said) : said).flatMap((event) => [...progressOf(event)]);
      const at = { execution, state, durationMs: durationOf(execution, fact.at) };
      const closing = factEvents(fact, progressOf, at);
      const closingSeq = lastSeq - closing.length + 1;
      const seqs = numbersBetween(seq, opening, closingSeq, numbers);
      if (fact.type === 'turn') sentTurn.forget();
      seq = lastSeq;
      return [
        ...lost,
        ...opening.map((event, index) => numbered(event, seqs[index] as number)),
        ...closing.map((event, index) => numbered(event, closingSeq + index)),
      ];
    },

    /** Of a run whose log is gone: the ends of what is open, and its own. @param seen The number of the last event. */
    endWithoutLog(over: AgentExecution, seen: number): NumberedEvent[] {
      seq = Math.max(seq, seen);
      const { event } = endWithoutLog(over, seq);
      return following([...progressOf({ type: 'facts', facts: [event.end] }), event]);
    },

    /** What the loop said after the facts so far. */
    tell({ seq: firstSeq, at, events }: Piece): NumberedEvent[] {
      const shown: NumberedEvent[] = [];
      for (const [index, event] of events.entries()) {
        if (event.type === 'turn-started') shown.push(...lostBefore(event.turnId, at));
        if (event.type === 'turn-started') turnId = event.turnId;
        if (index === 0) seq = firstSeq - 1;
        sentTurn.note(event);
        shown.push(...following(progressOf(event)));
      }
      return shown;
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
    const opening = fact.type === 'turn' ? turnEvents(fact) : [];
    for (const event of [...opening, { type: 'facts' as const, facts: [fact] }]) [...progressOf(event)];
  }
  return progressOf;
}

const durationOf = ({ startedAt }: AgentExecution, at: string) =>
  Math.max(0, Date.parse(at) - Date.parse(startedAt));
