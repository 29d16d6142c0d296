import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeFairQueue } from '../../../../shared/adapters/sandbox/fair-queue.ts';

/** Takes a place and says who has one. */
function starter(turns: ReturnType<typeof makeFairQueue>) {
  const started: string[] = [];
  const held: (() => void)[] = [];
  return {
    started,
    begin: async (tenant: string, signal?: AbortSignal) => {
      const release = await turns.take(tenant, signal);
      started.push(tenant);
      held.push(release);
    },
    finishOne: async () => {
      held.shift()?.();
      await settled();
    },
  };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a tenant has at most its number of slots, however many are free', async () => {
  const { begin, started, finishOne } = starter(makeFairQueue({ places: 4, placesPerTenant: 2 }));
  for (let n = 0; n < 5; n++) begin('a');
  begin('b');
  await settled();
  expect(started).toEqual(['a', 'a', 'b']);
  await finishOne();
  expect(started).toEqual(['a', 'a', 'b', 'a']);
});

test('a free slot goes to the tenant with the fewest, then to the one that has waited longest', async () => {
  const { begin, started, finishOne } = starter(makeFairQueue({ places: 2, placesPerTenant: 2 }));
  for (const tenant of ['a', 'a', 'a', 'a', 'b', 'c', 'b']) begin(tenant);
  for (let n = 0; n < 6; n++) await finishOne();
  expect(started).toEqual(['a', 'a', 'b', 'a', 'c', 'b', 'a']);
});

test('an aborted wait takes no slot', async () => {
  const { begin, started, finishOne } = starter(makeFairQueue({ places: 1, placesPerTenant: 1 }));
  const leaving = new AbortController();
  begin('a');
  const left = begin('b', leaving.signal);
  begin('c');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  await finishOne();
  await finishOne();
  expect(started).toEqual(['a', 'c']);
});

test('a tenant that aborts and waits again is behind those who came meanwhile', async () => {
  const { begin, started, finishOne } = starter(makeFairQueue({ places: 1, placesPerTenant: 1 }));
  const leaving = new AbortController();
  begin('a');
  const left = begin('b', leaving.signal);
  begin('c');
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  begin('b');
  await finishOne();
  await finishOne();
  expect(started).toEqual(['a', 'c', 'b']);
});

test('an aborted signal gets no slot; aborting after the start affects nobody', async () => {
  const { begin, started, finishOne } = starter(makeFairQueue({ places: 1, placesPerTenant: 1 }));
  await expect(begin('a', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  const running = new AbortController();
  begin('a', running.signal);
  begin('a');
  begin('a');
  await settled();
  running.abort();
  for (let n = 0; n < 3; n++) await finishOne();
  expect(started).toEqual(['a', 'a', 'a']);
});

test('in any order of events all get a slot and no limit is exceeded', async () => {
  const tenants = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(
      tenants,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      async (all, places, each) => {
        const turns = makeFairQueue({ places, placesPerTenant: each });
        const running = new Map<string, number>();
        await Promise.all(
          all.map(async (tenant) => {
            const release = await turns.take(tenant);
            running.set(tenant, (running.get(tenant) ?? 0) + 1);
            const counts = [...running.values()];
            expect(Math.max(...counts)).toBeLessThanOrEqual(each);
            expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(places);
            await settled();
            running.set(tenant, (running.get(tenant) ?? 0) - 1);
            release();
          }),
        );
      },
    ),
  );
});
