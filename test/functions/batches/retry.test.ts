import { expect, test } from 'vitest';
import { batchRetrier } from '../../../shared/execution/batches/retry-batch.ts';
import { createRecords, expectStatus, finishedBatch, publishedFlow } from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { pricedModel } from '../../support/models/model-configs.ts';
import { principalHere } from '../../support/stack/principals.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const ask = (name: string, model: string) => ({
  type: 'prompt',
  name,
  config: { model, userPrompt: `${name} {{ _record.name }}`, outputVariable: name },
});

/** A flow whose last prompt fails until its model is mended. */
async function world(records = 4) {
  const tenant = await newTenant();
  const [echo, model] = [
    await pricedModel(tenant, { mapping: 'echo' }),
    await pricedModel(tenant, { mapping: 'broken' }),
  ];
  const flow = await publishedFlow(tenant, [ask('first', echo), ask('second', echo), ask('last', model)]);
  const recordIds = (await createRecords(tenant, 'thing', records)).map(({ id }) => id);
  const body = { flowId: flow.id, recordIds, options: { maxRetries: 0, recordConcurrency: 2 } };
  const { batchExecutionId: batchId } = await expectStatus(
    200,
    tenant.call('POST', '/v1/batch/flow', { body }),
  );
  const status = await finishedBatch(tenant, batchId);
  expect(status).toMatchObject({ status: 'failed', failedRecords: records });
  const mend = async (mapping = 'echo') => {
    const { data } = await expectStatus(200, tenant.call('GET', '/v1/model-configs'));
    const { settings } = data.find(({ id }: { id: string }) => id === model);
    settings.customModel.executorConfig.modelMapping = mapping;
    await expectStatus(200, tenant.call('PUT', `/v1/model-configs/${model}`, { body: { settings } }));
  };
  return { tenant, flowId: flow.id as string, recordIds, batchId, mend };
}

const retry = ({ call }: Tenant, batchId: string, body: object = {}) =>
  call('POST', `/v1/batch/${batchId}/retry`, { body });

const resultsOf = async (tenant: Tenant, flowId: string, batchId: string) =>
  (await everyStepResult(tenant, `/v1/flows/${flowId}/step-results`)).filter(
    ({ batchExecutionId }) => batchExecutionId === batchId,
  );

test('failed records go on after their last completed step, which is neither run nor paid again', async () => {
  const { tenant, flowId, batchId, mend } = await world();
  const before = await resultsOf(tenant, flowId, batchId);
  await mend();
  const started = await expectStatus(202, retry(tenant, batchId));
  expect(started).toEqual({ batchId: expect.stringMatching(/^batch_/), recordCount: 4 });
  const status = await finishedBatch(tenant, started.batchId);
  expect(status).toMatchObject({ status: 'completed', successCount: 4, retryOf: batchId });
  const rows = await resultsOf(tenant, flowId, started.batchId);
  expect(rows).toHaveLength(12);
  for (const row of rows) {
    const source = before.find(({ stepId, recordId }) => stepId === row.stepId && recordId === row.recordId);
    if (row.stepName === 'last') expect(row).toMatchObject({ reusedFrom: null, status: 'completed' });
    else {
      expect(row).toMatchObject({
        reusedFrom: { resultId: source?.id, runId: batchId },
        outputPreview: source?.outputPreview,
        estimatedCost: '0',
        savedCost: source?.estimatedCost,
      });
    }
  }
  const run = await expectStatus(200, tenant.call('GET', `/v1/runs/${started.batchId}`));
  const saved = before.reduce((sum, { estimatedCost }) => sum + Number(estimatedCost ?? 0), 0);
  expect(Number(run.savedCost)).toBeCloseTo(saved, 12);
  expect(run.totalCost).toBe(
    (
      await expectStatus(200, tenant.call('GET', `/v1/batch/${started.batchId}/cost`))
    ).totalCostUsd.toString(),
  );
});

test('a retry that fails is retried with the first batch, until there is nothing left', async () => {
  const { tenant, batchId, recordIds, mend } = await world(3);
  const first = await expectStatus(202, retry(tenant, batchId, { records: recordIds.slice(0, 1) }));
  expect(first.recordCount).toBe(1);
  await finishedBatch(tenant, first.batchId);
  await mend();
  const second = await expectStatus(202, retry(tenant, first.batchId, { records: recordIds.slice(0, 2) }));
  expect(second.recordCount).toBe(2);
  expect(await finishedBatch(tenant, second.batchId)).toMatchObject({
    successCount: 2,
    retryOf: first.batchId,
  });
  const third = await expectStatus(202, retry(tenant, batchId));
  expect(third.recordCount).toBe(1);
  await finishedBatch(tenant, third.batchId);
  for (const id of [batchId, first.batchId, third.batchId]) {
    const { details } = await expectStatus(422, retry(tenant, id));
    expect(details).toMatchObject([{ path: 'records', code: 'NO_RECORDS' }]);
  }
});

test('from the start, named records run as a whole, whether they completed or not', async () => {
  const { tenant, flowId, batchId, recordIds, mend } = await world(2);
  await mend();
  await finishedBatch(tenant, (await expectStatus(202, retry(tenant, batchId))).batchId);
  const named = { records: recordIds, from: 'start' };
  const again = await expectStatus(202, retry(tenant, batchId, named));
  await finishedBatch(tenant, again.batchId);
  const rows = await resultsOf(tenant, flowId, again.batchId);
  expect(rows.map(({ reusedFrom }) => reusedFrom)).toEqual(Array(6).fill(null));
});

test('a batch that was just cancelled is retried a minute later, because its running records finish', async () => {
  const tenant = await newTenant();
  const wait = { type: 'wait-until', name: 'wait', config: { delayMs: 3_600_000 } };
  const flow = await publishedFlow(tenant, [wait]);
  const recordIds = (await createRecords(tenant, 'thing', 2)).map(({ id }) => id);
  const body = { flowId: flow.id, recordIds };
  const { batchExecutionId: batchId } = (await tenant.call('POST', '/v1/batch/flow', { body })).body;
  await expectStatus(200, tenant.call('POST', `/v1/batch/cancel/${batchId}`));
  const refused = await retry(tenant, batchId);
  expect(refused).toMatchObject({ status: 409, body: { details: [{ code: 'CONFLICT' }] } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
  const scope = { ...countingRuntime().scopeOf(tenant.tenant), now: () => new Date(Date.now() + 61_000) };
  const given = { records: 'failed', from: 'failed-step', unsafe: false } as const;
  const later = await batchRetrier(scope)(batchId, given, principalHere(tenant));
  expect(later.batch.totalRecords).toBe(2);
});

test('deleted records are left out of a retry, and are not found if they are named', async () => {
  const { tenant, recordIds, batchId, mend } = await world();
  await mend();
  const [gone, also, kept] = recordIds as [string, string, string];
  await Promise.all([gone, also].map((id) => expectStatus(204, tenant.call('DELETE', `/v1/records/${id}`))));
  for (const from of ['start', 'failed-step']) {
    const named = await expectStatus(404, retry(tenant, batchId, { records: [kept, gone], from }));
    expect(named.details).toMatchObject([{ path: 'records.1', code: 'NOT_FOUND' }]);
  }
  const started = await expectStatus(202, retry(tenant, batchId));
  expect(started.recordCount).toBe(2);
  expect(await finishedBatch(tenant, started.batchId)).toMatchObject({ status: 'completed' });
  await expectStatus(422, retry(tenant, batchId));
});

test('of two retries at once, one runs', async () => {
  const { tenant, batchId } = await world(2);
  const answers = await Promise.all([retry(tenant, batchId), retry(tenant, batchId)]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 409]);
});

test('a batch that runs, another tenant’s, unknown records and bad bodies are refused', async () => {
  const { tenant, batchId, flowId } = await world(1);
  const other = (await createRecords(tenant, 'other', 1)).map(({ id }) => id);
  const unknown = await expectStatus(400, retry(tenant, batchId, { records: other }));
  expect(unknown.details).toMatchObject([{ path: 'records.0', code: 'NOT_FOUND' }]);
  await expectStatus(404, retry(await newTenant(), batchId));
  await expectStatus(400, retry(tenant, batchId, { records: [] }));
  await expectStatus(400, retry(tenant, batchId, { records: 'all' }));
  await expectStatus(400, retry(tenant, batchId, { from: 'end' }));
  const slow = await publishedFlow(tenant, [
    { type: 'wait-until', name: 'w', config: { delayMs: 3_600_000 } },
  ]);
  const body = { flowId: slow.id, recordIds: other };
  const { batchExecutionId } = await expectStatus(200, tenant.call('POST', '/v1/batch/flow', { body }));
  await expectStatus(409, retry(tenant, batchExecutionId));
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flowId}`));
  await expectStatus(404, retry(tenant, batchId));
});

test('a body that says nothing usable of the records or the version learns what is expected', async () => {
  const { tenant, flowId, batchId } = await world(1);
  const records = await expectStatus(400, retry(tenant, batchId, { records: 'all' }));
  expect(records.details).toEqual([
    { path: 'records', code: 'INVALID_VALUE', message: 'Expected "failed" or array' },
  ]);
  const body = { recordType: 'thing' };
  const version = await expectStatus(400, tenant.call('POST', `/v1/flows/${flowId}/recompute`, { body }));
  expect(version.details).toEqual([
    {
      path: 'version',
      code: 'MISSING_REQUIRED_FIELD',
      message: 'Required: expected one of "published"|"draft" or string',
    },
  ]);
});
