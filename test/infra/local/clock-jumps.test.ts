import { expect, onTestFinished, test } from 'vitest';
import { steadyClock, watchClock } from '../../../infra/local/runtime/clock-jumps.ts';
import { forwardClock } from '../../../shared/core/cache.ts';
import { eventually } from '../../support/stack/eventually.ts';

const hourMs = 3_600_000;

function settableClocks() {
  const clocks = { shift: 0, since: 0 };
  return {
    clocks,
    wall: () => 1_000_000_000 + clocks.since + clocks.shift,
    monotonic: () => clocks.since,
  };
}

test('a clock that is set is noticed once, in both directions; one that only goes on is not', async () => {
  const { clocks, ...given } = settableClocks();
  const jumps: number[] = [];
  const watch = watchClock((byMs) => jumps.push(byMs), given);
  onTestFinished(() => watch[Symbol.dispose]());
  clocks.since += hourMs;
  clocks.shift -= 24 * hourMs;
  await eventually(() => expect(jumps).toEqual([-24 * hourMs]));
  clocks.since += hourMs;
  clocks.shift += 25 * hourMs;
  await eventually(() => expect(jumps).toEqual([-24 * hourMs, 25 * hourMs]));
});

test('a steady clock follows no change; a forward clock follows those forward, and goes on after those back', () => {
  const { clocks, ...given } = settableClocks();
  const [steady, forward] = [steadyClock(given), forwardClock(given.wall)];
  const [steadyStart, forwardStart] = [steady(), forward()];
  const read = () => [steady() - steadyStart, forward() - forwardStart];
  clocks.shift += hourMs;
  expect(read()).toEqual([0, hourMs]);
  clocks.shift -= 24 * hourMs;
  expect(read()).toEqual([0, hourMs]);
  clocks.since += 5;
  expect(read()).toEqual([5, hourMs + 5]);
});
