/**
 * The numbered events of a run, made again from its log and chunks: the same that its first reader got, texts in one
 * piece.
 * `openReplay` follows the facts in order. Events before the end of a turn are spread over the numbers that the turn had
 * (`numbers` of its entry), so a reader that reconnects with the last number that it saw gets each event once.
 * A turn that a crashed process began is ended (`turn-lost`) before the one that replaces it. After a takeover, numbers
 * begin at the next million, above all that the former process may have sent.
 */

import type { Spending } from '../../adapters/ports/spending.ts';
import type { Warning } from '../../core/warnings.ts';
import type { EndFact, Fact, FactOf, LoopWait } from '../agent-loop/facts.ts';
import type { ModelOutputEvent } from '../agent-loop/loop.ts';
import { type LoopProgress, openProgress } from '../agent-loop/progress.ts';
import { apply, createInitialState, type RunState } from '../agent-loop/state.ts';
import type { AgentExecution } from './agent-execution.ts';
import type { OutputChunk } from './live-output.ts';
import { endWithoutLog, type LogEntry } from './run-log.ts';

/** The events of a run of an agent, in order. Each protocol maps them to its wire format. */
export type AgentRunEvent =
  /** The run starts, or goes on after a pause. */
  | { type: 'started'; execution: AgentExecution; at: string }
  | LoopProgress
  /** The run waits for somebody. The last events of a stream. */
  | { type: 'awaiting'; wait: LoopWait; at: string; durationMs: number }
  | { type: 'ended'; end: EndFact; summary: RunSummary };

interface RunSummary extends Spending {
  iterations: number;
  warnings: readonly Warning[];
  durationMs: number;
}

/** An event with its number in the run: rising, and the same for every reader. */
export interface NumberedEvent {
  executionId: string;
  seq: number;
  /** The turn that it is a part of, or that was the last one. */
  turnId: string | undefined;
  event: AgentRunEvent;
}

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
 * Makes events of the facts of a log, one after the other, and of the chunks that come before a fact. Keeps the state,
 * without what was said.
 */
export function openReplay(execution: AgentExecution) {
  const progressOf = openProgress();
  const sentTurn = trackSentTurn();
  const { id: executionId } = execution;
  let turnId: string | undefined;
  let state = createInitialState([]);
  let seq = 0;
  const toNumbered = (event: AgentRunEvent, number: number): NumberedEvent => ({
    executionId,
    seq: number,
    turnId,
    event,
  });
  const numberNext = (events: Iterable<AgentRunEvent>) =>
    [...events].map((event) => toNumbered(event, ++seq));

  /** The end of a turn that was told, but is not the one that goes on. */
  function endLostTurn(nextTurn: string, at: string): NumberedEvent[] {
    const id = sentTurn.id();
    if (id === undefined || id === nextTurn) return [];
    sentTurn.forget();
    return numberNext(progressOf({ type: 'turn-lost', at }));
  }

  return {
    start: toNumbered({ type: 'started', execution, at: execution.startedAt }, 0),
    state: () => state,

    add({ fact, lastSeq, numbers = {} }: LogEntry): NumberedEvent[] {
      const lost = fact.type === 'turn' ? endLostTurn(fact.turnId, fact.at) : [];
      state = { ...apply(state, stripContent(fact)), messages: [] };
      turnId = sentTurn.id() ?? state.lastTurn?.turnId;
      const wasSent = fact.type === 'turn' && sentTurn.id() === fact.turnId;
      const said = fact.type === 'turn' ? turnEvents(fact) : [];
      const opening = (wasSent ? sentTurn.getRest(said) : said).flatMap((event) => [...progressOf(event)]);
      const at = { execution, state, durationMs: getDurationMs(execution, fact.at) };
      const closing = toFactEvents(fact, progressOf, at);
      const closingSeq = lastSeq - closing.length + 1;
      const seqs = spreadNumbers(seq, opening, closingSeq, numbers);
      if (fact.type === 'turn') sentTurn.forget();
      seq = lastSeq;
      return [
        ...lost,
        ...opening.map((event, index) => toNumbered(event, seqs[index] as number)),
        ...closing.map((event, index) => toNumbered(event, closingSeq + index)),
      ];
    },

    /** Of a run whose log is gone: the ends of what is open, and its own. @param lastSeq The number of the last event. */
    endWithoutLog(over: AgentExecution, lastSeq: number): NumberedEvent[] {
      seq = Math.max(seq, lastSeq);
      const { event } = endWithoutLog(over, seq);
      return numberNext([...progressOf({ type: 'facts', facts: [event.end] }), event]);
    },

    /** What the loop said after the facts so far. */
    addChunk({ seq: firstSeq, at, events }: OutputChunk): NumberedEvent[] {
      const shown: NumberedEvent[] = [];
      for (const [index, event] of events.entries()) {
        if (event.type === 'turn-started') shown.push(...endLostTurn(event.turnId, at));
        if (event.type === 'turn-started') turnId = event.turnId;
        if (index === 0) seq = firstSeq - 1;
        sentTurn.track(event);
        shown.push(...numberNext(progressOf(event)));
      }
      return shown;
    },
  };
}

function stripContent(fact: Fact): Fact {
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

export function replayProgress(log: readonly LogEntry[]): ReturnType<typeof openProgress> {
  const progressOf = openProgress();
  for (const { fact } of log) {
    const opening = fact.type === 'turn' ? turnEvents(fact) : [];
    for (const event of [...opening, { type: 'facts' as const, facts: [fact] }]) [...progressOf(event)];
  }
  return progressOf;
}

const getDurationMs = ({ startedAt }: AgentExecution, at: string) =>
  Math.max(0, Date.parse(at) - Date.parse(startedAt));

interface At {
  execution: AgentExecution;
  /** After the fact. */
  state: RunState;
  durationMs: number;
}

/** The events of a fact: those of the loop, and those that concern the run as a whole. */
export const toFactEvents = (
  fact: Fact,
  progressOf: ReturnType<typeof openProgress>,
  at: At,
): AgentRunEvent[] => [...progressOf({ type: 'facts', facts: [fact] }), ...toRunEvents(fact, at)];

function toRunEvents(fact: Fact, { execution, state, durationMs }: At): AgentRunEvent[] {
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
      return [
        { type: 'ended', end: fact, summary: { ...state.totals, iterations: state.turns, durationMs } },
      ];
    default:
      return [];
  }
}

/** What the model said in a turn, each thing in one piece. */
function turnEvents(turn: FactOf<'turn'>): ModelOutputEvent[] {
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

/** Follows what was told of a turn before its fact. */
function trackSentTurn() {
  let turnId: string | undefined;
  let sent = { text: '', reasoning: '' };
  let sentIds = new Set<string>();
  return {
    /** Undefined if nothing was told since the last fact of a turn. */
    id: () => turnId,

    track(event: ModelOutputEvent): void {
      if (event.type === 'turn-started') {
        turnId = event.turnId;
        [sent, sentIds] = [{ text: '', reasoning: '' }, new Set()];
      } else if (event.type === 'text-delta') sent.text += event.text;
      else if (event.type === 'reasoning-delta') sent.reasoning += event.text;
      else if (event.type === 'tool-call' || event.type === 'source') sentIds.add(event.id);
    },

    forget(): void {
      turnId = undefined;
    },

    /** What a reader of it has not got. A text that the model began anew is whole in the event that completes it. */
    getRest: (events: readonly ModelOutputEvent[]): ModelOutputEvent[] =>
      events.flatMap((event): ModelOutputEvent[] => {
        if (event.type === 'turn-started') return [];
        if (event.type === 'text-delta') return getRestOfText(event, sent.text);
        if (event.type === 'reasoning-delta') return getRestOfText(event, sent.reasoning);
        return 'id' in event && sentIds.has(event.id) ? [] : [event];
      }),
  };
}

type TextEvent = Extract<ModelOutputEvent, { type: 'text-delta' | 'reasoning-delta' }>;

function getRestOfText(event: TextEvent, sent: string): TextEvent[] {
  const isSame = event.text.startsWith(sent) && event.text.length > sent.length;
  return isSame ? [{ ...event, text: event.text.slice(sent.length) }] : [];
}

/** The numbers that the first reader of a turn got with its events, by `keyOf`. */
export type TurnNumbers = Readonly<Record<string, number>>;

/**
 * Events that a former process sent may have numbers above those of the log, so the next process begins with the next
 * million: readers get each number once.
 */
export const getFirstSeq = (lastSeq: number, isTakenOver: boolean): number =>
  isTakenOver ? (Math.floor(lastSeq / 1_000_000) + 1) * 1_000_000 : lastSeq + 1;

/** What tells the events of a turn apart, except for the pieces of a text. */
function toKey(event: AgentRunEvent): string {
  if (event.type === 'source') return `source ${event.source.id}`;
  return 'toolCallId' in event ? `${event.type} ${event.toolCallId}` : event.type;
}

/** Notes the numbers of a turn, which a log needs if texts came in several pieces: its events lie further apart then. */
export function openTurnNumbers() {
  let numbers: Record<string, number> = {};
  let isInPieces = false;
  return {
    track(event: AgentRunEvent, seq: number): void {
      if (event.type === 'turn_start') [numbers, isInPieces] = [{}, false];
      const key = toKey(event);
      isInPieces ||= event.type === 'tool_input_delta' || (event.type.endsWith('_delta') && key in numbers);
      // A response that the model began anew says some of it again.
      numbers[key] ??= seq;
    },
    /** Undefined if the events follow each other without gaps. @param before The last number before the turn. */
    getNumbers: (before: number): TurnNumbers | undefined =>
      isInPieces || numbers.turn_start !== before + 1 ? numbers : undefined,
  };
}

/** The numbers of the events of a turn that come before its end: rising, between the event before and the end. */
function spreadNumbers(
  before: number,
  events: readonly AgentRunEvent[],
  end: number,
  numbers: TurnNumbers,
): number[] {
  let seq = before;
  return events.map((event, index) => {
    const latest = end - (events.length - index);
    seq = Math.min(latest, Math.max(seq + 1, numbers[toKey(event)] ?? 0));
    return seq;
  });
}
