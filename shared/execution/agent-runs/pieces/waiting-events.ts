import type { NumberedEvent } from '../../events/agent-run-event.ts';
import { gather } from './gather.ts';
import type { ModelOutputEvent } from './piece-store.ts';
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
