import { expect, test } from 'vitest';
import { batchStore } from '../../../shared/execution/batches/batch-store.ts';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { countingRuntime, newTenant } from '../../support/stack/stack.ts';

test('the summary lists active and finished batches separately, newest first', async () => {
  const tenant = await newTenant();
  const quick = await publishedFlow(tenant, [template('x')]);
  const waiting = await publishedFlow(tenant, [
    { type: 'wait-until', name: 'wait', config: { delayMs: 3_600_000 } },
  ]);
  const recordIds = (await createRecords(tenant, 'thing', 2)).map(({ id }) => id);
  const ids = [];
  for (const { id: flowId } of [quick, quick, waiting]) {
    const body = { flowId, recordIds };
    const started = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
    ids.push(started.batchExecutionId);
    if (flowId === quick.id) await finishedBatch(tenant, started.batchExecutionId);
  }
  for (const _ of ['as counted', 'as written down']) {
    const summary = await expectStatus(200, tenant.call('GET', '/v1/batch/summary'));
    expect(summary).toMatchObject({ activeBatches: 1, recentlyCompleted: 2 });
    expect(summary.batches).toMatchObject([{ id: ids[2], progress: 0, totalRecords: 2 }]);
    expect(summary.recent.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[0]]);
    expect(summary.recent[0]).toEqual({
      id: ids[1],
      flowId: quick.id,
      flowName: 'A flow',
      status: 'completed',
      totalRecords: 2,
      processedRecords: 2,
      failedRecords: 0,
      progress: 100,
      startedAt: expect.stringMatching(/Z$/),
    });
  }
  await expectStatus(200, tenant.call('POST', `/v1/batch/cancel/${ids[2]}`));
  const after = await expectStatus(200, tenant.call('GET', '/v1/batch/summary'));
  expect(after).toMatchObject({ activeBatches: 0, recent: [{ id: ids[2], status: 'cancelled' }, {}, {}] });
});

test('the summary does not read the slots of a batch that has ended', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  const recordIds = (await createRecords(tenant, 'thing', 1)).map(({ id }) => id);
  const body = { flowId: flow.id, recordIds };
  const started = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  await finishedBatch(tenant, started.batchExecutionId);
  const runtime = countingRuntime();
  const batches = batchStore(runtime.scopeOf(tenant.tenant));
  await batches.latest(50);
  expect(runtime.consumed.commands).toEqual(['Query']);
});

test('a tenant without batches has an empty summary', async () => {
  const { call } = await newTenant();
  const summary = await expectStatus(200, call('GET', '/v1/batch/summary'));
  expect(summary).toEqual({ activeBatches: 0, batches: [], recent: [], recentlyCompleted: 0 });
});
