import type { ModelOutputEvent } from './piece-store.ts';

/** A longer text becomes another event, so that each fits an item. */
const textMax = 30_000;

/** Adds an event that nobody has seen to others: adjacent pieces of a text become one, and arguments come whole. */
export function gather(events: ModelOutputEvent[], event: ModelOutputEvent): ModelOutputEvent[] {
  if (event.type === 'tool-call') {
    const isPiece = (each: ModelOutputEvent) => each.type === 'tool-call-delta' && each.id === event.id;
    return [...events.filter((each) => !isPiece(each)), event];
  }
  const last = events.at(-1);
  const joined = last && last !== event ? join(last, event) : undefined;
  if (joined) events.splice(-1, 1, joined);
  else events.push(event);
  return events;
}

function join(last: ModelOutputEvent, event: ModelOutputEvent): ModelOutputEvent | undefined {
  if (!('text' in last) || last.text.length > textMax) return undefined;
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return last.type === event.type ? { ...last, text: last.text + event.text } : undefined;
    case 'tool-call-delta':
      return last.type === event.type && last.id === event.id
        ? { ...last, text: last.text + event.text }
        : undefined;
    default:
      return undefined;
  }
}
