import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { normaliseSteps } from '../../../../shared/domain/flows/checking/flow-steps.ts';
import { flowStore } from '../../../../shared/domain/flows/flow-store.ts';
import { versionStore } from '../../../../shared/domain/flows/version-store.ts';
import type { Priority } from '../../../../shared/domain/runs/priority.ts';
import { batchPlanner } from '../../../../shared/execution/batches/batch-plan.ts';
import { batchStore } from '../../../../shared/execution/batches/batch-store.ts';
import { divideSlots } from '../../../../shared/execution/batches/slot-sharing.ts';
import { batchStarter } from '../../../../shared/execution/batches/start-batch.ts';
import { batchCanceller } from '../../../../shared/execution/record-runs/run-record.ts';
import { fifoQueue } from '../../../support/data/fifo-queue.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { plannedBatch } from '../../../support/flows/batches.ts';
import { checkedSteps } from '../../../support/flows/sandbox.ts';
import { allowHost, loopback } from '../../../support/servers/loopback.ts';
import { principalHere } from '../../../support/stack/principals.ts';

const ended = { stopped: 'cancelled' as const, stoppedAt: new Date().toISOString() };

const atLeast = (least: number) => expect.toSatisfy((count: number) => count >= least);

/**
 * A tenant with batches of so many records, each of which calls a server that answers when the test says: what is open
 * there is what runs.
 */
async function scarceTenant(recordCount: number) {
  const queue = await fifoQueue();
  await silentQueue('PLAN_QUEUE_URL');
  const open = new Map<string, ServerResponse[]>();
  const { url, host } = await loopback(({ url: path = '' }, response) => {
    const flowId = path.slice(1);
    open.set(flowId, [...(open.get(flowId) ?? []), response]);
  });
  allowHost(host);
  const step = {
    type: 'api-call' as const,
    name: 'call',
    config: { http: { url: `${url}/{{ _flow.id }}` } },
  };
  const { scope, records, ...world } = await plannedBatch({ steps: [step], recordCount, ...ended });
  const batches = batchStore(scope);
  const flowIds = new Map<string, string>();
  const start = async (priority: Priority | undefined, count = recordCount) => {
    const owner = { userId: world.userId, organizationId: world.organizationId };
    const steps = normaliseSteps(checkedSteps([step]), newId);
    const flow = await flowStore(scope).create(owner, { name: 'A flow', steps });
    await versionStore(scope).publishDraft(flow.id);
    const ids = records.slice(0, count).map(({ id }) => id);
    const options = { recordConcurrency: 50, maxRetries: 0, ...(priority && { priority }) };
    const started = await batchStarter(scope).startOnRecords(flow.id, ids, options, principalHere(world));
    if (count > 10)
      await batchPlanner(scope).plan({ tenant: world.tenant, batchId: started.id, after: null, n: 0 });
    flowIds.set(started.id, flow.id);
    return started.id;
  };
  const processed = async (id: string) => (await batches.settleBatch(await batches.get(id))).processedRecords;
  const countOpen = (ids: readonly string[]) => ids.map((id) => open.get(flowIds.get(id) ?? '')?.length ?? 0);
  function answer() {
    for (const response of [...open.values()].flat()) response.end('{}');
    open.clear();
  }
  /** Waits until so many records of each batch run, and no more, then lets them end. */
  async function expectTurn(ids: readonly string[], counts: readonly unknown[]) {
    const deliverAndCount = () => {
      queue.deliver();
      return countOpen(ids);
    };
    await expect.poll(deliverAndCount).toEqual(counts);
    // What is loaded ahead is used for 500 ms.
    await sleep(600);
    expect(deliverAndCount()).toEqual(counts);
    answer();
  }
  /** Lets everything run to its end. @param counts How many records of each are processed then. */
  async function finish(ids: readonly string[], counts: readonly number[]) {
    const isDone = async () => {
      queue.deliver();
      answer();
      return Promise.all(ids.map(processed));
    };
    await expect.poll(isDone).toEqual(counts);
  }
  return { queue, scope, batches, start, expectTurn, finish, answer };
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

test('batches of three priorities run 8 : 3 : 1 until the last records of the highest, whichever started first', async () => {
  const { start, expectTurn, finish } = await scarceTenant(400);
  const ids = [await start('low'), await start(undefined), await start('high')];
  // 33 slots have eight records each.
  for (let turn = 0; turn < 8; turn++) await expectTurn(ids, [4, 13, 33]);
  // Then the 17 that waited run two at a time, those that were released early from their second record on.
  await expectTurn(ids, [4, 13, atLeast(17)]);
  for (let turn = 0; turn < 2; turn++) await expectTurn(ids, [4, 13, 33]);
  await finish(ids, [400, 400, 400]);
});

test('a batch that runs alone gives slots up when one of higher priority starts, and has them again after its end', async () => {
  const { start, expectTurn, finish, queue } = await scarceTenant(450);
  const low = await start('low');
  await expectTurn([low], [50]);
  await expectTurn([low], [50]);
  const high = await start('high', 100);
  // The records that run then end first.
  await expectTurn([low, high], [50, 44]);
  await expectTurn([low, high], [6, 44]);
  expect(queue.inFlight.size).toBe(44 + 6 + 44 + 6);
  expect(new Set(queue.visibility.values())).toEqual(new Set([3_600]));
  // The last six slots have two records each, which may run at the same time.
  await expectTurn([low, high], [38, atLeast(6)]);
  await finish([high], [100]);
  await expectTurn([low, high], [50, 0]);
  await finish([low], [450]);
  await expect.poll(() => queue.inFlight.size).toBe(0);
});

test('the slots of a limited batch that have no more records give their permits to those that wait', async () => {
  const { start, expectTurn, finish } = await scarceTenant(150);
  const high = await start('high');
  const low = await start('low');
  // Each slot has three records. The six that wait cannot use more than 18 permits in the end.
  for (let turn = 0; turn < 3; turn++) await expectTurn([high, low], [44, 6]);
  await expectTurn([high, low], [atLeast(6), 32]);
  await finish([high, low], [150, 150]);
});

test('a batch that is cancelled gives its slots to the others, and its held ones end', async () => {
  const { start, expectTurn, finish, queue, scope } = await scarceTenant(300);
  const low = await start('low');
  const high = await start('high');
  await expectTurn([low, high], [6, 44]);
  await batchCanceller(scope)(low);
  await expectTurn([low, high], [6, 50]);
  await expectTurn([low, high], [0, 50]);
  await finish([low, high], [12, 300]);
  await expect.poll(() => queue.inFlight.size).toBe(0);
});

test('no record is lost or counted twice when workers are killed while slots are given up', async () => {
  const { start, finish, queue, answer } = await scarceTenant(200);
  const low = await start('low');
  const high = await start('high', 60);
  const answers = setInterval(answer, 20);
  await queue.round({ isKilled: true });
  queue.expire();
  await queue.round();
  clearInterval(answers);
  queue.expire();
  await finish([low, high], [200, 60]);
});
