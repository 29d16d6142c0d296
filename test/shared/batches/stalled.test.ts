import { encodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { batchEntity } from '../../../shared/batches/batch.ts';
import { batchStarter } from '../../../shared/batches/batch-start.ts';
import { batchStore } from '../../../shared/batches/batch-store.ts';
import { reviveIfStalled } from '../../../shared/batches/stalled.ts';
import { newId } from '../../../shared/ids.ts';
import type { Scope } from '../../../shared/runtime.ts';
import { plannedBatch } from '../../support/batches.ts';
import { createRecords, finishedBatch, publishedFlow, template } from '../../support/flows.ts';
import { principalHere } from '../../support/principals.ts';
import { countingRuntime, newTenant } from '../../support/stack.ts';

const steps = [template('hello')];
const day = 86_400_000;
const later = (ms: number) => new Date(Date.now() + ms);
const standsInSweep = async ({ table }: Scope, id: string) => {
  const [item] = await table.getMany([batchEntity.key(table.tenant, { id })], { consistent: true });
  return item?.PK2 !== undefined;
};

test.each([
  ['whose records were never planned', { recordCount: 12, planned: false }],
  ['whose few records never got their messages', { recordCount: 3, planned: true }],
])('a batch %s runs when the sweeper has seen it, and is then left alone', async (_what, options) => {
  const { scope, batch, ...tenant } = await plannedBatch({ steps, ...options });
  await reviveIfStalled(scope, batch.id, later(16 * 60_000));
  const { recordCount } = options;
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({
    status: 'completed',
    processedRecords: recordCount,
    totalRecords: recordCount,
  });
  expect(await standsInSweep(scope, batch.id)).toBe(true);
  await reviveIfStalled(scope, batch.id, later(32 * 60_000));
  expect(await standsInSweep(scope, batch.id)).toBe(false);
});

test('records that were named one by one get their messages again', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const records = await createRecords(tenant, 'thing', 3);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const ids = records.map(({ id }) => id);
  const batch = await batchStarter(scope).startOn(
    flow.id,
    ids,
    { recordConcurrency: 2, maxRetries: 0 },
    principalHere(tenant),
  );
  await finishedBatch(tenant, batch.id);
  expect(await batchStore(scope).recordIds(await batchStore(scope).get(batch.id))).toEqual(ids);
});

test('a batch that stands still for 40 days is failed, so that it ends', async () => {
  const { scope, batch, progress } = await plannedBatch({ steps, flowId: `flow_${'0'.repeat(26)}` });
  await reviveIfStalled(scope, batch.id, later(41 * day));
  expect(await progress()).toMatchObject({ status: 'failed' });
});

test('a clock that is set back leaves no record out', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  await createRecords(tenant, 'thing', 15);
  const past = Date.now() - 3_600_000;
  const scope: Scope = {
    ...countingRuntime().scopeOf(tenant.tenant),
    now: () => new Date(past),
    newId: (prefix) => newId(prefix).replace(/_.{10}/, `_${encodeTime(past).toLowerCase()}`) as never,
  };
  const { batch } = await batchStarter(scope).start(flow.id, 'thing', principalHere(tenant));
  expect(await finishedBatch(tenant, batch.id)).toMatchObject({ status: 'completed', processedRecords: 15 });
});
