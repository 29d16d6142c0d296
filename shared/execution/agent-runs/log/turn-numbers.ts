import type { AgentRunEvent } from '../../events/agent-run-event.ts';

/** The numbers that the first reader of a turn got with its events, by `keyOf`. */
export type TurnNumbers = Readonly<Record<string, number>>;

/**
 * Events that a former process sent may have numbers above those of the log, so the next process begins with the next
 * million: readers get each number once.
 */
export const firstSeqAfter = (lastSeq: number, isTakenOver: boolean): number =>
  isTakenOver ? (Math.floor(lastSeq / 1_000_000) + 1) * 1_000_000 : lastSeq + 1;

/** What tells the events of a turn apart, except for the pieces of a text. */
function keyOf(event: AgentRunEvent): string {
  if (event.type === 'source') return `source ${event.source.id}`;
  return 'toolCallId' in event ? `${event.type} ${event.toolCallId}` : event.type;
}

/** Notes the numbers of a turn, which a log needs if texts came in several pieces: its events lie further apart then. */
export function openTurnNumbers() {
  let numbers: Record<string, number> = {};
  let isInPieces = false;
  return {
    note(event: AgentRunEvent, seq: number): void {
      if (event.type === 'turn_start') [numbers, isInPieces] = [{}, false];
      const key = keyOf(event);
      isInPieces ||= event.type === 'tool_input_delta' || (event.type.endsWith('_delta') && key in numbers);
      // A response that the model began anew says some of it again.
      numbers[key] ??= seq;
    },
    /** Undefined if the events follow each other without gaps. @param before The last number before the turn. */
    ofTurn: (before: number): TurnNumbers | undefined =>
      isInPieces || numbers.turn_start !== before + 1 ? numbers : undefined,
  };
}

/** The numbers of the events of a turn that come before its end: rising, between the event before and the end. */
export function numbersBetween(
  before: number,
  events: readonly AgentRunEvent[],
  end: number,
  known: TurnNumbers,
): number[] {
  let seq = before;
  return events.map((event, index) => {
    const latest = end - (events.length - index);
    seq = Math.min(latest, Math.max(seq + 1, known[keyOf(event)] ?? 0));
    return seq;
  });
}
