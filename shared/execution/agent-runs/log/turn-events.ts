import type { FactOf } from '../../agent-loop/facts.ts';
import type { ModelOutputEvent } from '../../agent-loop/loop.ts';

/** What the model said in a turn, each thing in one piece. */
export function turnEvents(turn: FactOf<'turn'>): ModelOutputEvent[] {
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
export function trackSentTurn() {
  let turnId: string | undefined;
  let sent = { text: '', reasoning: '' };
  let known = new Set<string>();
  return {
    /** Undefined if nothing was told since the last fact of a turn. */
    id: () => turnId,

    note(event: ModelOutputEvent): void {
      if (event.type === 'turn-started') {
        turnId = event.turnId;
        [sent, known] = [{ text: '', reasoning: '' }, new Set()];
      } else if (event.type === 'text-delta') sent.text += event.text;
      else if (event.type === 'reasoning-delta') sent.reasoning += event.text;
      else if (event.type === 'tool-call' || event.type === 'source') known.add(event.id);
    },

    forget(): void {
      turnId = undefined;
    },

    /** What a reader of it has not got. A text that the model began anew is whole in the event that completes it. */
    restOf: (events: readonly ModelOutputEvent[]): ModelOutputEvent[] =>
      events.flatMap((event): ModelOutputEvent[] => {
        if (event.type === 'turn-started') return [];
        if (event.type === 'text-delta') return restOfText(event, sent.text);
        if (event.type === 'reasoning-delta') return restOfText(event, sent.reasoning);
        return 'id' in event && known.has(event.id) ? [] : [event];
      }),
  };
}

type TextEvent = Extract<ModelOutputEvent, { type: 'text-delta' | 'reasoning-delta' }>;

function restOfText(event: TextEvent, sent: string): TextEvent[] {
  const isSame = event.text.startsWith(sent) && event.text.length > sent.length;
  return isSame ? [{ ...event, text: event.text.slice(sent.length) }] : [];
}
