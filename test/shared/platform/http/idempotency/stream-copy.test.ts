import { expect, test } from 'vitest';
import { openCopy } from '../../../../../shared/platform/http/idempotency/once.ts';
import {
  pingComment,
  serverSentEvent,
} from '../../../../../shared/platform/http/responses/server-sent-events.ts';

const frame = (data: { type: string; seq: number } & Record<string, unknown>) =>
  serverSentEvent({ event: data.type, id: data.seq, data });

test('pieces of one text become one, and what keeps the connection open is left out', () => {
  const copy = openCopy();
  copy.add(frame({ type: 'text_delta', id: 't1', delta: 'a$&', seq: 0 }));
  copy.add(pingComment);
  copy.add(frame({ type: 'ping', seq: 1 }));
  copy.add(frame({ type: 'text_delta', id: 't1', delta: 'b', seq: 2 }));
  copy.add(frame({ type: 'text_delta', id: 't2', delta: 'c', seq: 3 }));
  expect(copy.text()).toBe(
    frame({ type: 'text_delta', id: 't1', delta: 'a$&b', seq: 2 }) +
      frame({ type: 'text_delta', id: 't2', delta: 'c', seq: 3 }),
  );
});

test('a reader gets first what was said before, and then what is new', () => {
  const copy = openCopy();
  const frames = [0, 1, 2].map((seq) => frame({ type: 'text_delta', id: 't', delta: String(seq), seq }));
  copy.add(frames[0] as string);
  expect(copy.takeNew()).toBe(frames[0]);
  copy.add(frames[1] as string);
  copy.add(frames[2] as string);
  expect(copy.takeNew()).toBe(`${frames[1]}${frames[2]}`);
  expect(copy.takeNew()).toBe('');
  expect(copy.text()).toBe(frame({ type: 'text_delta', id: 't', delta: '012', seq: 2 }));
});

test('of a very long stream, the first and the last event are kept', () => {
  const copy = openCopy();
  const long = 'x'.repeat(1_500_000);
  const frames = [0, 1, 2, 3].map((seq) => frame({ type: 'step_complete', result: long, seq }));
  for (const each of frames) copy.add(each);
  expect(copy.text()).toBe(`${frames[0]}${frames[3]}`);
});
