import { expect, test } from 'vitest';
import { throttleEntity } from '../../../../shared/domain/throttles/throttle.ts';
import { throttleStore } from '../../../../shared/execution/model-calls/model-admission.ts';
import { byClock, countingRuntime, newTenant } from '../../../support/stack/stack.ts';

const call = { tokens: 0, isLive: true, isDue: false };

/** What processes of one tenant ask, at a time that the test says. */
async function world() {
  const { tenant } = await newTenant();
  const { scopeOf, consumed, reset } = countingRuntime();
  const clock = { at: Date.parse('2026-01-01T00:00:00Z') };
  const scope = byClock(scopeOf(tenant), () => new Date(clock.at));
  const processes = Array.from({ length: 6 }, (_, index) => {
    const store = throttleStore('limited');
    return (wanted: number, sent = 0) =>
      store.ask(
        scope,
        {
          holder: `process${index}`,
          sent: sent > 0 ? [{ second: Math.floor(clock.at / 1_000), requests: sent, tokens: 0 }] : [],
          inFlight: 0,
          wanted: Array.from({ length: wanted }, () => call),
        },
        { requestsPerMinute: 40 },
        () => clock.at,
      );
  });
  return {
    processes,
    clock,
    consumed,
    reset,
    read: () => scope.table.get(throttleEntity, { id: 'limited' }),
  };
}

test('processes that ask at the same time get no more than the limit, and all of it', async () => {
  const { processes, clock, read } = await world();
  const first = await Promise.all(processes.map((ask) => ask(7)));
  expect(first.reduce((sum, { lease }) => sum + lease.requests, 0)).toBe(40);
  const waiting = first.flatMap(({ turns }) => turns);
  expect(new Set(waiting).size).toBe(waiting.length);
  clock.at += 64_000;
  const later = await processes[0]?.(40);
  expect(later?.granted).toBe(0);
  // Those whose turns were given go first; nobody used them.
  clock.at += 300_000;
  expect((await processes[0]?.(40))?.granted).toBe(40);
  expect((await read())?.leases).toHaveProperty('process0');
});

test('a process that is killed has sent what its lease was for, until a minute later', async () => {
  const { processes, clock } = await world();
  const [killed, other] = processes;
  expect((await killed?.(40))?.granted).toBe(40);
  clock.at += 62_000;
  expect((await other?.(1))?.granted).toBe(0);
  clock.at += 2_000;
  const late = await processes[2]?.(1);
  // The turn of the other comes first.
  expect(late?.turns).toEqual([clock.at + 575]);
});

test('a lease costs one write unit', async () => {
  const { processes, consumed, reset } = await world();
  await processes[0]?.(1);
  reset();
  await processes[0]?.(1, 15);
  expect(consumed).toMatchObject({ commands: ['PutItem'], capacityUnits: 1 });
});
