import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallLimits } from '../../../../shared/adapters/models/call-limits.ts';
import { RunMustWait } from '../../../../shared/core/errors/step-error.ts';
import { acquireAll } from '../../../../shared/execution/model-calls/limiter.ts';
import { processAt, sharedItem } from '../../../support/flows/throttled-processes.ts';
import { virtualTime } from '../../../support/flows/virtual-time.ts';
import { mostInAMinute } from '../../../support/models/call-arrivals.ts';
import { numRuns } from '../../../support/suite/slow.ts';

test.each([
  { perMinute: 60, workers: 10 },
  { perMinute: 600, workers: 10 },
  { perMinute: 6_000, workers: 20 },
])(
  'three processes use 90 % of $perMinute calls a minute at least, and never more',
  async ({ perMinute, workers }) => {
    const time = virtualTime();
    const start = time.now();
    const { store } = sharedItem(time);
    const arrivals: { at: number; amount: number }[] = [];
    for (const name of ['a', 'b', 'c']) {
      const { admit } = processAt(store, time, name);
      for (let worker = 0; worker < workers; worker++) {
        void (async () => {
          for (;;) {
            const pass = await admit({ requestsPerMinute: perMinute });
            arrivals.push({ at: time.now(), amount: 1 });
            await time.sleep(400);
            pass.end();
          }
        })();
      }
    }
    await time.pass(start + 300_000);
    expect(mostInAMinute(arrivals)).toBeLessThanOrEqual(perMinute);
    expect(arrivals.length).toBeGreaterThan(perMinute * 5 * 0.9);
  },
);

const Process = fc.record({
  skewMs: fc.integer({ min: -400, max: 400 }),
  workers: fc.integer({ min: 1, max: 6 }),
  isLive: fc.boolean(),
  /** When it is killed, in seconds; later ones never are. */
  killedAt: fc.integer({ min: 1, max: 200 }),
});

const World = fc.record({
  limits: fc.record(
    {
      requestsPerMinute: fc.integer({ min: 1, max: 90 }),
      tokensPerMinute: fc.integer({ min: 100, max: 4_000 }),
      maxConcurrent: fc.integer({ min: 1, max: 6 }),
    },
    { requiredKeys: [] },
  ),
  processes: fc.array(Process, { minLength: 2, maxLength: 6 }),
  /** Taken in turn. */
  latencies: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 7 }),
  durations: fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 7 }),
  tokens: fc.array(fc.integer({ min: 1, max: 600 }), { minLength: 1, maxLength: 7 }),
});

/** Gives the values in turn, without end. */
function inTurn<T>(values: readonly T[]): () => T {
  let index = 0;
  return () => values[index++ % values.length] as T;
}

test('whatever processes do and however they end, no minute has more than the limits', async () => {
  await fc.assert(
    fc.asyncProperty(World, async ({ limits, processes, latencies, durations, tokens }) => {
      const time = virtualTime();
      const start = time.now();
      const { store } = sharedItem(time, inTurn(latencies));
      const duration = inTurn(durations);
      const wanted = inTurn(tokens);
      const calls: { at: number; tokens: number; until: number }[] = [];
      processes.forEach(({ skewMs, workers, isLive, killedAt }, index) => {
        const { admit } = processAt(store, time, `p${index}`, skewMs);
        const endsAt = killedAt > 150 ? Infinity : start + killedAt * 1_000;
        for (let worker = 0; worker < workers; worker++) {
          void (async () => {
            for (;;) {
              const reserved = Math.min(wanted(), limits.tokensPerMinute ?? Infinity);
              // Some have no chance within ten minutes.
              const pass = await admit(limits, { tokens: reserved, isLive }).catch(() => undefined);
              if (!pass || time.now() >= endsAt) return;
              // On its way to the provider.
              await time.sleep(latencies[0] ?? 0);
              const at = time.now();
              const used = Math.ceil(reserved * (duration() / 9_000));
              const call = { at, tokens: used, until: Math.min(at + duration(), endsAt) };
              calls.push(call);
              await time.sleep(call.until - at);
              if (time.now() >= endsAt) return;
              pass.end(used);
            }
          })();
        }
      });
      await time.pass(start + 200_000);
      expect(mostInAMinute(calls.map(({ at }) => ({ at, amount: 1 })))).toBeLessThanOrEqual(
        limits.requestsPerMinute ?? Infinity,
      );
      expect(mostInAMinute(calls.map(({ at, tokens }) => ({ at, amount: tokens })))).toBeLessThanOrEqual(
        limits.tokensPerMinute ?? Infinity,
      );
      for (const { at } of calls) {
        const others = calls.filter((call) => call.at <= at && call.until > at);
        expect(others.length).toBeLessThanOrEqual(limits.maxConcurrent ?? Infinity);
      }
      expect(calls.length).toBeGreaterThan(0);
    }),
    { numRuns: numRuns(30) },
  );
});

/** Calls of one process that begin one after the other, and the order in which they were made. */
async function madeInOrder(
  limits: CallLimits,
  wanted: readonly { name: string; at: number; process: string; isLive?: boolean }[],
): Promise<string[]> {
  const time = virtualTime();
  const start = time.now();
  const { store } = sharedItem(time);
  const processes = new Map(wanted.map(({ process }) => [process, processAt(store, time, process)]));
  const made: string[] = [];
  for (const { name, at, process, isLive = false } of wanted) {
    time.after(at, async () => {
      const pass = await processes.get(process)?.admit(limits, { isLive });
      made.push(name);
      pass?.end();
    });
  }
  await time.pass(start + 600_000);
  return made;
}

const names = (count: number, name: string) => Array.from({ length: count }, (_, index) => `${name}${index}`);

test('calls that wait are made in their order, over processes too', async () => {
  const waiting = names(12, 'call ').map((name, index) => ({
    name,
    at: 5_000 + index * 400,
    process: ['a', 'b', 'c'][index % 3] as string,
  }));
  const first = names(6, 'first ').map((name) => ({ name, at: 0, process: 'a' }));
  const made = await madeInOrder({ requestsPerMinute: 6 }, [...first, ...waiting]);
  expect(made.slice(6)).toEqual(waiting.map(({ name }) => name));
});

test('live calls are made before those of batches that wait longer, over processes too', async () => {
  const first = names(3, 'first ').map((name) => ({ name, at: 0, process: 'a' }));
  const batch = names(3, 'batch ').map((name) => ({ name, at: 1_000, process: 'a' }));
  const live = names(3, 'live ').map((name, index) => ({
    name,
    at: 2_000,
    process: index === 0 ? 'a' : 'b',
    isLive: true,
  }));
  const made = await madeInOrder({ requestsPerMinute: 3 }, [...first, ...batch, ...live]);
  expect(made.slice(3, 6).toSorted()).toEqual(live.map(({ name }) => name));
  expect(made.slice(6)).toEqual(batch.map(({ name }) => name));
});

/** A run whose step asks again when its turn has come. @returns when its turns were, and when it was made */
async function suspendedRun(
  time: ReturnType<typeof virtualTime>,
  { admit }: ReturnType<typeof processAt>,
  limits: () => CallLimits,
): Promise<{ turns: number[]; madeAt: number }> {
  const began = time.now();
  const turns: number[] = [];
  for (;;) {
    const backSince = turns.length > 0 ? began : undefined;
    const pass = await admit(limits(), { maySuspend: true, backSince }).catch((error) => {
      if (!(error instanceof RunMustWait)) throw error;
      turns.push(error.until.getTime());
    });
    if (pass) return { turns, madeAt: time.now() };
    await time.sleep((turns.at(-1) ?? 0) - time.now());
  }
}

test('a call that must wait for longer than ten seconds suspends its run until its turn; then it is made at once', async () => {
  const time = virtualTime();
  const start = time.now();
  const process = processAt(sharedItem(time).store, time, 'a');
  const runs = Array.from({ length: 5 }, () => suspendedRun(time, process, () => ({ requestsPerMinute: 2 })));
  await time.pass(start + 400_000);
  const [, , ...suspended] = await Promise.all(runs);
  // Two at once, and then one each half minute.
  expect(suspended.map(({ turns }) => turns.map((at) => Math.round((at - start) / 1_000)))).toEqual([
    [63],
    [95],
    [126],
  ]);
  for (const { turns, madeAt } of suspended) expect(madeAt - (turns[0] ?? 0)).toBeLessThan(3_000);
});

test('turns that nobody uses any more are given to others', async () => {
  const time = virtualTime();
  const { admit } = processAt(sharedItem(time).store, time, 'a');
  const limits = { requestsPerMinute: 6 };
  const cancelled = Array.from({ length: 60 }, () => admit(limits, { maySuspend: true }));
  await Promise.all([Promise.allSettled(cancelled), time.pass(time.now() + 200_000)]);
  const began = time.now();
  await Promise.all([admit(limits), time.pass(began + 1_000)]);
});

test('a limit that is raised holds for new calls at once, and one that is lowered suspends no run without end', async () => {
  const time = virtualTime();
  const start = time.now();
  const process = processAt(sharedItem(time).store, time, 'a');
  let limits: CallLimits = { requestsPerMinute: 6 };
  const runs = Array.from({ length: 40 }, () => suspendedRun(time, process, () => limits));
  await time.pass(start + 5_000);
  limits = { requestsPerMinute: 600 };
  const next = suspendedRun(time, process, () => limits);
  await time.pass(start + 12_000);
  expect((await next).madeAt - start).toBeLessThan(10_000);
  limits = { requestsPerMinute: 3 };
  await time.pass(start + 1_200_000);
  const suspensions = (await Promise.all(runs)).reduce((sum, { turns }) => sum + turns.length, 0);
  expect(suspensions).toBeLessThan(runs.length * 4);
});

test('what cannot be suspended waits in place, and fails if its time is over', async () => {
  const time = virtualTime();
  const { store } = sharedItem(time);
  const { admit } = processAt(store, time, 'a');
  const limits = { requestsPerMinute: 1 };
  await Promise.all([admit(limits), time.pass(time.now() + 1_000)]);
  const patient = admit(limits);
  const outOfTime = new AbortController();
  const late = admit(limits, { signal: outOfTime.signal }).catch((error) => error);
  await time.pass(time.now() + 30_000);
  outOfTime.abort(new DOMException('too late', 'TimeoutError'));
  expect(await late).toMatchObject({ code: 'RATE_LIMITED' });
  await time.pass(time.now() + 40_000);
  expect((await patient).confirm()).toBe(true);
});

test.each([
  { maxConcurrent: 10, processes: 1, ms: 100 },
  { maxConcurrent: 2, processes: 1, ms: 450 },
  { maxConcurrent: 10, processes: 2, ms: 100 },
  { maxConcurrent: 5, processes: 4, ms: 100 },
  { maxConcurrent: 7, processes: 3, ms: 300 },
])(
  '90 % of $maxConcurrent places at least are used by $processes processes with calls of $ms ms, and each process has its part',
  async ({ maxConcurrent, processes, ms }) => {
    const time = virtualTime();
    const start = time.now();
    const { store } = sharedItem(time, () => 5);
    const made = Array.from({ length: processes }, () => 0);
    let active = 0;
    let most = 0;
    for (let process = 0; process < processes; process++) {
      const { admit } = processAt(store, time, `p${process}`);
      for (let worker = 0; worker < 2 * maxConcurrent; worker++) {
        void (async () => {
          for (;;) {
            const pass = await admit({ maxConcurrent });
            most = Math.max(most, ++active);
            await time.sleep(ms);
            active--;
            made[process] = (made[process] ?? 0) + 1;
            pass.end();
          }
        })();
      }
    }
    await time.pass(start + 30_000);
    const all = made.reduce((sum, each) => sum + each, 0);
    expect(most).toBe(maxConcurrent);
    expect(all).toBeGreaterThan(0.9 * maxConcurrent * (30_000 / ms));
    expect(Math.min(...made)).toBeGreaterThan((0.4 * all) / processes);
  },
);

test('a place that was given up while others wait is theirs, and one that is used again counts on', async () => {
  const time = virtualTime();
  const { store } = sharedItem(time);
  const limits = { maxConcurrent: 4 };
  const [one, other] = [processAt(store, time, 'one'), processAt(store, time, 'other')];
  let active = 0;
  const work = async ({ admit }: typeof one, until: number) => {
    while (time.now() < until) {
      const pass = await admit(limits);
      active++;
      expect(active).toBeLessThanOrEqual(4);
      await time.sleep(5_000);
      active--;
      pass.end();
    }
  };
  const start = time.now();
  for (let worker = 0; worker < 4; worker++) void work(one, start + 60_000);
  // Those of the first process hold all places without asking again.
  await time.pass(start + 12_000);
  let others = 0;
  for (let worker = 0; worker < 4; worker++) void work(other, start + 60_000).then(() => others++);
  await time.pass(start + 120_000);
  expect(others).toBe(4);
});

/** Calls that two limits hold for, in their order. @returns when each was made */
async function madeUnderTwo(
  [outer, inner]: readonly [CallLimits, CallLimits],
  { calls, ms }: { calls: number; ms: number },
) {
  const time = virtualTime();
  const start = time.now();
  const gates = [outer, inner].map((limits, index) => ({
    limiter: processAt(sharedItem(time).store, time, `gate${index}`).gate,
    limits,
    tokens: 0,
    measure: () => undefined,
  }));
  const made: { at: number; until: number }[] = [];
  for (let call = 0; call < calls; call++) {
    void (async () => {
      for (;;) {
        const pass = await acquireAll(gates, {
          scope: {} as never,
          isLive: false,
          backSince: start,
          maySuspend: () => true,
          signal: new AbortController().signal,
        });
        if (!pass.confirm()) {
          pass.cancel();
          continue;
        }
        made.push({ at: time.now(), until: time.now() + ms });
        await time.sleep(ms);
        pass.end();
        return;
      }
    })().catch(() => {});
  }
  await time.pass(start + 120_000);
  return { made, endsAfter: Math.max(...made.map(({ until }) => until)) - start };
}

test.each([
  [{ maxConcurrent: 2 }, { maxConcurrent: 2 }],
  [{ maxConcurrent: 4 }, { maxConcurrent: 2 }],
  [{ maxConcurrent: 2 }, { maxConcurrent: 4 }],
  [{ maxConcurrent: 2 }, { requestsPerMinute: 600 }],
  [{ requestsPerMinute: 600 }, { maxConcurrent: 2 }],
] as const)('the limits %j and %j do not hold each other up, and none suspends a run', async (...limits) => {
  const { made, endsAfter } = await madeUnderTwo(limits, { calls: 18, ms: 450 });
  expect(made).toHaveLength(18);
  for (const { at } of made) {
    expect(made.filter((call) => call.at <= at && call.until > at).length).toBeLessThanOrEqual(2);
  }
  // Nine after each other, and a tenth for asking.
  expect(endsAfter).toBeLessThan(9 * 450 * 1.1);
});

test('a call that has waited for a place counts in the minute in which it is made', async () => {
  const limits = [{ requestsPerMinute: 6 }, { maxConcurrent: 1 }] as const;
  const { made } = await madeUnderTwo(limits, { calls: 12, ms: 4_000 });
  expect(mostInAMinute(made.map(({ at }) => ({ at, amount: 1 })))).toBeLessThanOrEqual(6);
  expect(made.length).toBeGreaterThanOrEqual(6);
});
