import { expect, test } from 'vitest';
import { makeAdmission } from '../../../../infra/local/gateway/admission.ts';

function world() {
  const time = { now: 0, utilization: 1, highest: 1 };
  const { begin, secondsOf } = makeAdmission({
    nowMs: () => time.now,
    utilization: () => time.utilization,
    highestUtilization: () => time.highest,
  });
  const ends: (() => void)[] = [];
  return {
    time,
    secondsOf,
    start: (count: number, endpoint = 'batches.start') => {
      for (let n = 0; n < count; n++) ends.push(begin(endpoint, 30));
    },
    /** So many requests end in each of so many seconds, and others begin. */
    pass(seconds: number, perSecond: number) {
      for (let second = 0; second < seconds; second++) {
        time.now += 1_000;
        for (const end of ends.splice(0, perSecond)) {
          end();
          ends.push(begin('batches.start', 30));
        }
      }
    },
  };
}

test('a request that would take a third of its time limit is refused before it begins, and says when to come back', () => {
  const { start, pass } = world();
  start(20);
  // Each takes five seconds.
  pass(10, 4);
  start(20);
  expect(() => start(40)).toThrow(expect.objectContaining({ code: 'BUSY', retryAfterSeconds: 11 }));
});

test('where nothing ends, the age of the oldest counts', () => {
  const { start, time } = world();
  start(8);
  time.now += 9_000;
  start(1);
  time.now += 2_000;
  expect(() => start(1)).toThrow('Nothing was done');
  expect(() => start(8, 'flows.get')).not.toThrow();
});

test('a burst is begun, also if nothing has ended yet', () => {
  const { start, time } = world();
  start(200);
  time.now += 1_000;
  expect(() => start(200)).not.toThrow();
});

test('requests that wait for others, and not for this process, are begun', () => {
  const { start, time } = world();
  time.utilization = 0.5;
  start(100);
  time.now += 20_000;
  expect(() => start(100)).not.toThrow();
});

test('after requests have ended, others begin', () => {
  const { start, time, pass } = world();
  start(8);
  time.now += 11_000;
  expect(() => start(1)).toThrow('Nothing was done');
  time.utilization = 0.5;
  pass(1, 8);
  time.utilization = 1;
  expect(() => start(8)).not.toThrow();
});

test('what begins while the process had no time left lately gets twice its time', () => {
  const { secondsOf, time } = world();
  expect(secondsOf(29)).toBe(58);
  time.utilization = 0.5;
  expect(secondsOf(29)).toBe(58);
  time.highest = 0.5;
  expect(secondsOf(29)).toBe(29);
});
