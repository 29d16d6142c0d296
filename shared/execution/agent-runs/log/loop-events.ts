import type { FactOf } from '../../agent-loop/facts.ts';
import type { SaidEvent } from '../pieces/piece-store.ts';

/** What the model said in a turn, each thing in one piece. */
export function loopEventsOf(turn: FactOf<'turn'>): SaidEvent[] {
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
export function openToldTurn() {
  let turnId: string | undefined;
  let told = { text: '', reasoning: '' };
  let known = new Set<string>();
  return {
    /** Undefined if nothing was told since the last fact of a turn. */
    id: () => turnId,

    note(event: SaidEvent): void {
      if (event.type === 'turn-started') {
        turnId = event.turnId;
        [told, known] = [{ text: '', reasoning: '' }, new Set()];
      } else if (event.type === 'text-delta') told.text += event.text;
      else if (event.type === 'reasoning-delta') told.reasoning += event.text;
      else if (event.type === 'tool-call' || event.type === 'source') known.add(event.id);
    },

    forget(): void {
      turnId = undefined;
    },

    /** What a reader of it has not got. A text that the model began anew is whole in the event that completes it. */
    restOf: (events: readonly SaidEvent[]): SaidEvent[] =>
      events.flatMap((event): SaidEvent[] => {
        if (event.type === 'turn-started') return [];
        if (event.type === 'text-delta') return restOfText(event, told.text);
        if (event.type === 'reasoning-delta') return restOfText(event, told.reasoning);
        return 'id' in event && known.has(event.id) ? [] : [event];
      }),
  };
}

type TextEvent = Extract<SaidEvent, { type: 'text-delta' | 'reasoning-delta' }>;

function restOfText(event: TextEvent, told: string): TextEvent[] {
  const isSame = event.text.startsWith(told) && event.text.length > told.length;
  return isSame ? [{ ...event, text: event.text.slice(told.length) }] : [];
}
