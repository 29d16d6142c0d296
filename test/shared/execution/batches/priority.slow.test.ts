import { expect, test } from 'vitest';
import type { Priority } from '../../../../shared/domain/runs/priority.ts';
import { batchPlanner } from '../../../../shared/execution/batches/batch-plan.ts';
import { batchStore } from '../../../../shared/execution/batches/batch-store.ts';
import { batchCanceller } from '../../../../shared/execution/batches/run-record.ts';
import { divideSlots } from '../../../../shared/execution/batches/slot-sharing.ts';
import { batchStarter } from '../../../../shared/execution/batches/start-batch.ts';
import { fifoQueue } from '../../../support/data/fifo-queue.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { plannedBatch } from '../../../support/flows/batches.ts';
import { template } from '../../../support/flows/flows.ts';
import { principalHere } from '../../../support/stack/principals.ts';

const ended = { stopped: 'cancelled' as const, stoppedAt: new Date().toISOString() };

/** A tenant with batches of so many records, whose messages wait for the rounds of the test. */
async function scarceTenant(recordCount: number) {
  const queue = await fifoQueue();
  await silentQueue('PLAN_QUEUE_URL');
  const { scope, records, batch, ...world } = await plannedBatch({
    steps: [template('x')],
    recordCount,
    ...ended,
  });
  const batches = batchStore(scope);
  const start = async (priority: Priority | undefined, count = recordCount) => {
    const ids = records.slice(0, count).map(({ id }) => id);
    const options = { recordConcurrency: 50, maxRetries: 0, ...(priority && { priority }) };
    const started = await batchStarter(scope).startOnRecords(
      batch.flowId,
      ids,
      options,
      principalHere(world),
    );
    if (count > 10)
      await batchPlanner(scope).plan({ tenant: world.tenant, batchId: started.id, after: null, n: 0 });
    return started.id;
  };
  const processed = async (id: string) => (await batches.settleBatch(await batches.get(id))).processedRecords;
  /** How many records of each batch each round runs. */
  async function perRound(ids: readonly string[]) {
    const before = await Promise.all(ids.map(processed));
    await queue.round();
    const after = await Promise.all(ids.map(processed));
    return after.map((count, index) => count - (before[index] ?? 0));
  }
  async function finish(ids: readonly string[]) {
    while ((await queue.round()) > 0);
    return Promise.all(ids.map(processed));
  }
  return { queue, scope, batches, start, perRound, finish };
}

test('slots are divided 8 : 3 : 1 between priorities, and what one cannot use goes to the others', () => {
  const of = (...demands: [number, Priority][]) =>
    divideSlots(
      demands.map(([slots, priority]) => ({ slots, priority })),
      48,
    );
  expect(of([50, 'high'], [50, 'normal'], [50, 'low'])).toEqual([32, 12, 4]);
  expect(of([50, 'low'], [50, 'normal'], [50, 'high'])).toEqual([4, 12, 32]);
  expect(of([50, 'low'], [10, 'high'])).toEqual([38, 10]);
  expect(of([50, 'low'], [50, 'low'], [40, 'high'])).toEqual([8, 1, 40]);
});

test('batches of three priorities progress 8 : 3 : 1 while slots are scarce, whichever started first', async () => {
  const { start, perRound, finish } = await scarceTenant(400);
  const ids = [await start('low'), await start(undefined), await start('high')];
  const first = await perRound(ids);
  expect(first).toEqual([4, 13, 33]);
  expect(await perRound(ids)).toEqual([4, 13, 33]);
  expect(await finish(ids)).toEqual([400, 400, 400]);
});

test('a batch that runs alone gives slots up when one of higher priority starts, and has them again after its end', async () => {
  const { start, perRound, queue } = await scarceTenant(450);
  const low = await start('low');
  expect(await perRound([low])).toEqual([50]);
  const high = await start('high', 100);
  expect(await perRound([low, high])).toEqual([6, 44]);
  expect(queue.inFlight.size).toBe(44 + 6);
  expect(new Set(queue.visibility.values())).toEqual(new Set([3_600]));
  const rounds = [];
  for (let round = 0; round < 3; round++) rounds.push(await perRound([low, high]));
  // Six slots are left of the other one, and then one record in each of them.
  expect(rounds).toEqual([
    [6, 44],
    [44, 6],
    [49, 6],
  ]);
  expect(queue.inFlight.size).toBe(0);
  expect(await perRound([low])).toEqual([50]);
});

test('the slots of a limited batch that have no more records give their place to those that are held', async () => {
  const { start, perRound, finish } = await scarceTenant(150);
  const high = await start('high');
  const low = await start('low');
  const counts = [];
  // Each slot has three records, and the other batch as many rounds of 44.
  for (let round = 0; round < 4; round++) counts.push(await perRound([high, low]));
  expect(counts.slice(0, 3)).toEqual([
    [44, 6],
    [44, 6],
    [44, 6],
  ]);
  expect(counts[3]).toEqual([6, 44]);
  expect(await finish([low, high])).toEqual([150, 150]);
});

test('what a batch can no longer use of its share goes to the others', async () => {
  const { start, perRound } = await scarceTenant(200);
  const high = await start('high');
  const low = await start('low');
  const rounds = [];
  for (let round = 0; round < 6; round++) rounds.push(await perRound([high, low]));
  // After four rounds 44 slots have run their four records, and six are left.
  expect(rounds.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => [44, 6]));
  expect(rounds[5]).toEqual([6, 44]);
});

test('a batch that is cancelled gives its slots to the others, and its held ones end', async () => {
  const { start, perRound, queue, scope } = await scarceTenant(300);
  const low = await start('low');
  const high = await start('high');
  await perRound([low, high]);
  expect(queue.inFlight.size).toBe(44 + 6);
  await batchCanceller(scope)(low);
  expect(queue.inFlight.size).toBe(0);
  expect(await perRound([low, high])).toEqual([0, 50]);
  while ((await queue.round()) > 0);
  expect(queue.inFlight.size).toBe(0);
});

test('no record is lost or counted twice when workers are killed while slots are given up', async () => {
  const { start, finish, queue } = await scarceTenant(200);
  const low = await start('low');
  const high = await start('high', 60);
  await queue.round({ isKilled: true });
  queue.expire();
  await queue.round();
  queue.expire();
  expect(await finish([low, high])).toEqual([200, 60]);
});
