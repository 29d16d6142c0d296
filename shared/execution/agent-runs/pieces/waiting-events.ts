import type { ModelOutputEvent } from '../../agent-loop/loop.ts';
import type { NumberedEvent } from '../../events/agent-run-event.ts';
import type { Numbering } from './piece-writer.ts';

/** Of JSON. With the longest event, a piece fits an item. */
const pieceBytesMax = 100_000;
const eventBytesMax = 200_000;
/** Tools may print faster than anybody can read. */
const toolEventsMax = 1_000;

/** The events that no piece has. @param isUnread Whether they get their numbers only when they are taken. */
export function openWaiting({ nextSeq, tell }: Numbering, isUnread: boolean) {
  let events: ModelOutputEvent[] = [];
  /** Of the same events, if they have numbers. */
  let seqs: number[] = [];
  const tellAll = (told: readonly ModelOutputEvent[]) => {
    for (const event of told) for (const _event of tell(event));
  };

  return {
    isEmpty: () => events.length === 0,
    /** No fact holds what tools print. */
    hasToolEvents: () => events.some(({ type }) => type === 'tool-event'),

    /** @returns what readers of this process may see now. */
    *add(event: ModelOutputEvent, isFollowed: boolean): Generator<NumberedEvent> {
      const isForgotten = event.type === 'tool-event' && (!isFollowed || events.length >= toolEventsMax);
      if (isForgotten) {
        if (isUnread) tellAll(events);
        [events, seqs] = [[], []];
        return yield* tell(event);
      }
      if (isUnread) events = gather(events, event);
      else {
        events.push(event);
        seqs.push(nextSeq());
        yield* tell(event);
      }
    },

    /** The first of them, as a piece. @throws RangeError if one is too long. */
    take(): { seq: number; events: string } {
      const texts: string[] = [];
      for (let bytes = 0; texts.length < events.length && bytes < pieceBytesMax; ) {
        const text = JSON.stringify(events[texts.length]);
        const size = Buffer.byteLength(text);
        if (size > eventBytesMax) throw new RangeError('An event is too long for a piece');
        bytes += size;
        texts.push(text);
      }
      const seq = seqs[0] ?? nextSeq();
      const taken = events.splice(0, texts.length);
      seqs.splice(0, texts.length);
      if (isUnread) tellAll(taken);
      return { seq, events: `[${texts.join()}]` };
    },

    /** Gives numbers to all of them, and forgets them. */
    settle(): void {
      if (isUnread) tellAll(events);
      [events, seqs] = [[], []];
    },
  };
}

/** A longer text becomes another event, so that each fits an item. */
const textMax = 30_000;

/** Adds an event that nobody has seen to others: adjacent pieces of a text become one, and arguments come whole. */
function gather(events: ModelOutputEvent[], event: ModelOutputEvent): ModelOutputEvent[] {
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
