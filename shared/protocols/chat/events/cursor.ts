import { createHash, type Hash } from 'node:crypto';
import type { StreamEvent } from '../../run-events/stream-event.ts';

/** Each event of a run becomes at most so many events of a visitor, whose numbers end with this multiple of its own. */
export const eventsPerEvent = 4;

/** The same for all readers, whether they followed the run or not: a run of a flow has no log that numbers its events. */
export const flowEndSeq = 100_000_000_000;

/**
 * The last event that a page has got. It is the `id` of that event: its number and, in a turn that is not complete, the
 * first number of the turn, how many characters of its text were sent, a digest of them, and the id of the turn. Each text
 * of a flow is a turn, and stays one until the next.
 */
export interface Cursor {
  seq: number;
  turn?: { seq: number; characters: number; digest: string; id: string };
}

const form = /^(-?\d{1,12})(?:\.(\d{1,12})\.(\d{1,12})\.([0-9a-f]{16})\.(turn_\w{1,64}))?$/;

/** @returns undefined if the text is no cursor. */
export function parseCursor(text: string): Cursor | undefined {
  const [, seq, turnSeq, characters, digest, id] = form.exec(text) ?? [];
  if (seq === undefined) return undefined;
  if (id === undefined || digest === undefined) return { seq: Number(seq) };
  return { seq: Number(seq), turn: { seq: Number(turnSeq), characters: Number(characters), digest, id } };
}

const turnOfText = (id: string) => `turn_${id}`;

/** What a text of a flow adds to a cursor; undefined if the cursor is not in this text. */
export function restOfText(text: string, { turn }: Cursor): { id: string; rest: string } | undefined {
  if (!turn) return undefined;
  const { characters, digest, id } = turn;
  const isSame = toDigest(newHash().update(text.slice(0, characters), 'utf16le')) === digest;
  return isSame ? { id: id.slice(turnOfText('').length), rest: text.slice(characters) } : undefined;
}

const toDigest = (hash: Hash) => hash.digest('hex').slice(0, 16);
const newHash = () => createHash('sha256');

/** Follows where the events of a run are. @returns the cursor after each. */
export function openCursors(): (event: StreamEvent) => Cursor {
  let turn: { seq: number; characters: number; id: string } | undefined;
  let text = newHash();
  return (event) => {
    const seq = event.seq * eventsPerEvent;
    if (event.type === 'turn_start') [turn, text] = [{ seq, characters: 0, id: event.id }, newHash()];
    if (event.type === 'turn_complete') turn = undefined;
    if (event.type === 'text_start' && event.turnId === undefined)
      [turn, text] = [{ seq, characters: 0, id: turnOfText(event.id) }, newHash()];
    if (event.type === 'text_delta' && turn) {
      turn.characters += event.delta.length;
      text.update(event.delta, 'utf16le');
    }
    return { seq, ...(turn && { turn: { ...turn, digest: toDigest(text.copy()) } }) };
  };
}

export const cursorText = ({ seq, turn }: Cursor): string =>
  turn ? `${seq}.${turn.seq}.${turn.characters}.${turn.digest}.${turn.id}` : String(seq);

/**
 * Leaves out what a page has got. Of the text that was being sent only the rest comes. A turn whose process died is not in
 * the log: everything after the turn before it is new then, except for a text that begins as the lost one did.
 */
export function openUnseenFilter(after: Cursor | undefined): (event: StreamEvent) => StreamEvent[] {
  const { turn } = after ?? {};
  let isSameTurn: boolean | undefined;
  /** What came of the text that the page may have the beginning of; undefined once that is known. */
  let held: string | undefined = '';

  /** What is new of a text. */
  function takeRest(delta: string, { characters, digest, id }: NonNullable<Cursor['turn']>, turnId?: string) {
    if (held === undefined || (isSameTurn && turnId !== id)) return delta;
    held += delta;
    if (held.length < characters) return '';
    const text = held;
    held = undefined;
    const isSame = isSameTurn || toDigest(newHash().update(text.slice(0, characters), 'utf16le')) === digest;
    return isSame ? text.slice(characters) : text;
  }

  return (event) => {
    if (!after || event.type === 'ping') return [event];
    const seq = event.seq * eventsPerEvent;
    if (!turn) return seq > after.seq ? [event] : [];
    if (seq < turn.seq) return [];
    isSameTurn ??= event.type === 'turn_start' && event.id === turn.id;
    const isGot = isSameTurn && seq <= after.seq;
    if (event.type !== 'text_delta') {
      const before = event.type === 'text_complete' && !isSameTurn ? shorter(event) : [];
      return isGot ? [] : [...before, event];
    }
    const delta = takeRest(event.delta, turn, event.turnId);
    if (delta === '') return [];
    return [{ ...event, delta, ...(isGot && { seq: after.seq / eventsPerEvent }) }];
  };

  /** A text that ends before the place where the lost one broke off is another one. */
  function shorter({ id, turnId, executionId, seq }: Extract<StreamEvent, { type: 'text_complete' }>) {
    const delta = held;
    held = undefined;
    return delta ? [{ type: 'text_delta' as const, id, turnId, executionId, seq: seq - 1, delta }] : [];
  }
}
