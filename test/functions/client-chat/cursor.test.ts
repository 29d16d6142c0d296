import { expect, test } from 'vitest';
import {
  cursorText,
  openCursors,
  openUnseenFilter,
  parseCursor,
} from '../../../shared/protocols/chat/events/cursor.ts';
import type { StreamEvent } from '../../../shared/protocols/run-events/stream-event.ts';

const event = (type: string, seq: number, more: object = {}) =>
  ({ type, seq, executionId: 'exec_1', ...more }) as StreamEvent;
const turn = (id: string, first: number, text: string) => [
  event('turn_start', first, { id }),
  event('text_start', first + 1, { turnId: id }),
  event('text_delta', first + 2, { turnId: id, delta: text }),
];
const end = (id: string, at: number) => [
  event('text_complete', at, { turnId: id }),
  event('turn_complete', at + 1, { id }),
  event('execution_complete', at + 2),
];
const cursorAfter = (events: StreamEvent[]) => {
  const next = openCursors();
  return parseCursor(cursorText(events.map(next).at(-1) as { seq: number }));
};
const shown = (each: StreamEvent) => (each.type === 'text_delta' ? each.delta : each.type);
const restOf = (after: ReturnType<typeof parseCursor>, events: StreamEvent[]) => {
  const unseen = openUnseenFilter(after);
  return events.flatMap(unseen).map(shown);
};

const log = [event('execution_start', 0), ...turn('turn_a', 1, 'Hello world'), ...end('turn_a', 9)];

test('of a text that was being sent, only the rest comes', () => {
  const told = [event('execution_start', 0), ...turn('turn_a', 1, 'Hello')];
  expect(restOf(cursorAfter(told), log)).toEqual([
    ' world',
    'text_complete',
    'turn_complete',
    'execution_complete',
  ]);
  expect(restOf(cursorAfter(told.slice(0, 2)), log)).toEqual([
    'text_start',
    'Hello world',
    ...restOf({ seq: 35 }, log),
  ]);
  expect(restOf(cursorAfter(told.slice(0, 1)), log)).toEqual([
    'turn_start',
    'text_start',
    'Hello world',
    ...restOf({ seq: 35 }, log),
  ]);
});

const lost = (text: string) => [
  event('execution_start', 0),
  ...turn('turn_lost', 1, text),
  event('text_delta', 4, { turnId: 'turn_lost', delta: 'wor' }),
];

test('a turn that was told but not recorded comes again; of a text that begins the same, the rest', () => {
  expect(restOf(cursorAfter(lost('Good ')), log)).toEqual(log.slice(1).map(shown));
  expect(restOf(cursorAfter(lost('Hello ')), log)).toEqual([
    'turn_start',
    'text_start',
    'ld',
    'text_complete',
    'turn_complete',
    'execution_complete',
  ]);
  // A later text is no rest.
  const more = [...log.slice(0, -1), ...turn('turn_b', 11, 'Hello world'), ...end('turn_b', 14)];
  expect(restOf(cursorAfter(lost('Hello ')), more).filter((each) => each.includes('ld'))).toEqual([
    'ld',
    'Hello world',
  ]);
  expect(restOf(cursorAfter(lost('Good ')), more).filter((each) => each.includes('ld'))).toHaveLength(2);
});

test('of a text that comes in pieces, the same is left out', () => {
  const inPieces = (...pieces: string[]) => [
    event('execution_start', 0),
    ...turn('turn_a', 1, pieces[0] ?? '').slice(0, 2),
    ...pieces.map((delta, n) => event('text_delta', 3 + n, { turnId: 'turn_a', delta })),
    ...end('turn_a', 9),
  ];
  const closing = ['text_complete', 'turn_complete', 'execution_complete'];
  const after = cursorAfter(inPieces('Hel', 'lo').slice(0, -3));
  expect(restOf(after, inPieces('Hel', 'lo', ' wor', 'ld'))).toEqual([' wor', 'ld', ...closing]);
  expect(restOf(after, inPieces('Hell', 'o wor', 'ld'))).toEqual([' wor', 'ld', ...closing]);
  const opening = ['turn_start', 'text_start'];
  const afterLost = cursorAfter(lost('Hello '));
  expect(restOf(afterLost, inPieces('Hel', 'lo wo', 'rl', 'd'))).toEqual([...opening, 'l', 'd', ...closing]);
  expect(restOf(afterLost, inPieces('Good ', 'night', ' all'))).toEqual([
    ...opening,
    'Good night',
    ' all',
    ...closing,
  ]);
  // A text that ends before the place where the other one broke off.
  expect(restOf(afterLost, inPieces('Go', 'od'))).toEqual([...opening, 'Good', ...closing]);
});

test('the end of a run that failed in a lost turn is not left out, although its number is smaller', () => {
  const ended = [event('execution_start', 0), event('execution_complete', 1)];
  expect(restOf(cursorAfter(lost('Hello ')), ended)).toEqual(['execution_complete']);
});

test('after a turn that is complete, the number is enough', () => {
  expect(cursorAfter(log)).toEqual({ seq: 44 });
  expect(restOf(cursorAfter(log), log)).toEqual([]);
  expect(restOf(undefined, log)).toHaveLength(log.length);
});
