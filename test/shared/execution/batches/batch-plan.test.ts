import { expect, test } from 'vitest';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { batchPlanner, type PlanMessage } from '../../../../shared/execution/batches/batch-plan.ts';
import { batchStore, recordSlot } from '../../../../shared/execution/batches/batch-store.ts';
import { type RunMessage, splitRunMessage } from '../../../../shared/execution/batches/run-message.ts';
import { resumeIfStalled } from '../../../../shared/execution/batches/stalled-batches.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { deliverRunMessages, plannedBatch } from '../../../support/flows/batches.ts';
import { template } from '../../../support/flows/flows.ts';

test('a large batch is planned page by page, each record once in its slot', async () => {
  const { scope, batch, records, tenant, progress } = await plannedBatch({
    steps: [template('x')],
    recordCount: 5_003,
    recordConcurrency: 7,
    planned: false,
    totalRecords: 0,
  });
  const sent = await silentQueue<RunMessage>('RUNS_QUEUE_URL');
  const parts: PlanMessage[] = [];
  let part: PlanMessage | undefined = { tenant, batchId: batch.id, after: null, n: 0 };
  for (; part && parts.length < 5; part = await batchPlanner(scope).plan(part)) parts.push(part);
  expect(parts.map(({ n }) => n)).toEqual([0, 5_000]);
  expect(await progress()).toMatchObject({ totalRecords: 5_003 });
  const runs = sent.flatMap(({ body, group }) => splitRunMessage(body).map((run) => ({ ...run, group })));
  const slots = new Map(runs.map(({ recordId, slot, group }) => [recordId, [slot, group]]));
  expect(runs).toHaveLength(5_003);
  // Each of seven slots has 143 of a thousand records, ten to a message.
  expect(sent.slice(0, -3)).toHaveLength(5 * 7 * 15);
  const inOneSlot = runs.filter(({ slot }) => slot === 3).map(({ recordId }) => recordId);
  expect(inOneSlot).toEqual(records.filter((_, n) => recordSlot(batch, n) === 3).map(({ id }) => id));
  expect(records.map(({ id }) => slots.get(id))).toEqual(
    records.map((_, n) => [recordSlot(batch, n), `${batch.id}.${recordSlot(batch, n)}`]),
  );
});

test('a batch is planned in as many messages as it needs; a chain that does not end fails it', async () => {
  const { scope, batch, tenant, progress } = await plannedBatch({
    steps: [template('x')],
    recordCount: 41,
    planned: false,
    totalRecords: 41,
  });
  const sent = await silentQueue<RunMessage>('RUNS_QUEUE_URL');
  const planner = batchPlanner(scope);
  let part: PlanMessage | undefined = { tenant, batchId: batch.id, after: null, n: 0, perPlan: 2 };
  let rounds = 0;
  for (; part; part = await planner.plan(part)) rounds++;
  expect(rounds).toBe(21);
  expect(new Set(sent.map(({ body }) => body.recordId)).size).toBe(41);
  expect(await progress()).toMatchObject({ status: 'scheduled', totalRecords: 41 });

  const endless = await plannedBatch({ steps: [template('x')], planned: false, totalRecords: 1 });
  const round = (n: number) => ({
    tenant: endless.tenant,
    batchId: endless.batch.id,
    after: null,
    n,
    round: n,
  });
  expect(await batchPlanner(endless.scope).plan(round(5))).toBeUndefined();
  expect(await endless.progress()).toMatchObject({ status: 'failed' });
  const { error } = await batchStore(endless.scope).get(endless.batch.id);
  expect(error).toBe('Enqueuing the 1 records took too many messages');
  // The message may be delivered again.
  expect(await batchPlanner(endless.scope).plan(round(5))).toBeUndefined();
});

test.each([
  ['was stopped', { planned: false }, true],
  ['has been planned', { planned: true }, false],
])('a batch that %s gets no further messages', async (_what, changes, isStopped) => {
  const { scope, batch, tenant } = await plannedBatch({ steps: [template('x')], recordCount: 3, ...changes });
  if (isStopped) await batchStore(scope).stop(batch.id, 'cancelled');
  const sent = await silentQueue<RunMessage>('RUNS_QUEUE_URL');
  const message = { tenant, batchId: batch.id, after: null, n: 0 };
  expect(await batchPlanner(scope).plan(message)).toBeUndefined();
  expect(sent).toEqual([]);
});

test('a batch does not end before all its records are planned; a batch whose records were deleted does', async () => {
  const { scope, batch, message, tenant, progress } = await plannedBatch({
    steps: [template('x')],
    recordCount: 1,
    planned: false,
  });
  await deliverRunMessages([message()]);
  expect(await progress()).toMatchObject({ status: 'running', processedRecords: 1, totalRecords: 1 });
  await batchPlanner(scope).plan({ tenant, batchId: batch.id, after: null, n: 0 });
  expect(await progress()).toMatchObject({ status: 'completed', processedRecords: 1, totalRecords: 1 });

  const empty = await plannedBatch({ steps: [template('x')], recordCount: 1, planned: false });
  await recordStore(empty.scope).remove(empty.records[0]?.id ?? '');
  const { tenant: other, batch: none } = empty;
  await batchPlanner(empty.scope).plan({ tenant: other, batchId: none.id, after: null, n: 0 });
  expect(await empty.progress()).toMatchObject({ status: 'completed', totalRecords: 0, progress: 100 });
});

test('the list of batches shows progress, and the sweep stores the outcome', async () => {
  const { scope, batch, message } = await plannedBatch({ steps: [template('x')], recordCount: 2 });
  const { latest } = batchStore(scope);
  const seen = async () => (await latest(1))[0]?.progress;
  for (const n of [0, 1]) {
    await deliverRunMessages([message(n)]);
    expect(await seen()).toMatchObject({ processedRecords: n + 1 });
  }
  expect(await seen()).toMatchObject({ status: 'completed', processedRecords: 2 });
  await resumeIfStalled(scope, batch.id, new Date());
  expect(await batchStore(scope).get(batch.id)).toMatchObject({ outcome: { processed: 2 } });
});
