import type { AgentRunEvent } from '../../events/agent-run-event.ts';

/** The numbers that the first reader of a turn got with its events, by `keyOf`. */
export type TurnNumbers = Readonly<Record<string, number>>;

/** What tells the events of a turn apart, except for the pieces of a text. */
export function keyOf(event: AgentRunEvent): string {
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
      if (!event.type.endsWith('_delta')) numbers[key] = seq;
      else if (event.type === 'tool_input_delta' || key in numbers) isInPieces = true;
      else numbers[key] = seq;
    },
    /** Undefined if the events follow each other without gaps. */
    ofTurn: (): TurnNumbers | undefined => (isInPieces ? numbers : undefined),
  };
}
