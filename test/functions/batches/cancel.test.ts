import { expect, test, vi } from 'vitest';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknownBatch = `batch_${'0'.repeat(26)}`;
const cancel = ({ call }: Pick<Tenant, 'call'>, id: string) => call('POST', `/v1/batch/cancel/${id}`);
const status = ({ call }: Pick<Tenant, 'call'>, id: string) =>
  expectStatus(200, call('GET', `/v1/batch/status/${id}`));
const recordCount = 60;

/** A batch that is cancelled after some of its records, each of which takes half a second. */
async function cancelledInFlight() {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [
    { type: 'prompt', name: 'slow', config: { model: 'generic-openai/slow', userPrompt: 'wait' } },
    template('after'),
  ]);
  await createRecords(tenant, 'thing', recordCount);
  const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'thing'));
  const hasBegun = async () => (await status(tenant, batchId)).status !== 'scheduled';
  await vi.waitUntil(hasBegun, { timeout: 20_000, interval: 20 });
  const answer = await expectStatus(200, cancel(tenant, batchId));
  return { tenant, flow, batchId, answer };
}

/** The status once nothing of the batch has moved for as long as three records take. */
async function settled(tenant: Tenant, batchId: string) {
  for (let last = -1; ; ) {
    const now = await status(tenant, batchId);
    if (now.processedRecords === last) return now;
    last = now.processedRecords;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
}

test('running records finish and are counted; no other record starts', async () => {
  const { tenant, flow, batchId, answer } = await cancelledInFlight();
  expect(answer).toEqual({ success: true, message: expect.any(String) });
  expect(await status(tenant, batchId)).toMatchObject({
    status: 'cancelled',
    completedAt: expect.any(String),
  });
  const end = await settled(tenant, batchId);
  expect(end).toMatchObject({ status: 'cancelled', totalRecords: recordCount, failedRecords: 0 });
  expect(end.processedRecords).toBeGreaterThan(0);
  expect(end.processedRecords).toBeLessThan(recordCount);
  const row = await expectStatus(200, tenant.call('GET', `/v1/runs/${batchId}`));
  expect(row).toMatchObject({
    status: 'cancelled',
    counts: { completed: end.processedRecords, cancelled: recordCount - end.processedRecords },
    error: { code: 'CANCELLED' },
  });
  const results = await everyStepResult(tenant, `/v1/flows/${flow.id}/step-results`, 'sortOrder=asc');
  expect(results.map(({ stepName }) => stepName)).toEqual(
    Array.from({ length: end.processedRecords }, () => ['slow', 'after']).flat(),
  );
});

test('409 for a batch that is already cancelled, completed or failed, and its status does not change', async () => {
  const tenant = await newTenant();
  const fails = { type: 'transform-data', name: 'x', config: { script: 'throw new Error("no")' } };
  await createRecords(tenant, 'thing', 1);
  for (const [step, outcome] of [
    [template('x'), 'completed'],
    [fails, 'failed'],
  ] as const) {
    const flow = await publishedFlow(tenant, [step]);
    const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
    const before = await finishedBatch(tenant, batchId);
    expect(await expectStatus(409, cancel(tenant, batchId))).toEqual({
      error: 'Conflict',
      details: [{ code: 'CONFLICT', message: `The batch already has the status ${outcome}` }],
    });
    expect(await status(tenant, batchId)).toEqual(before);
  }
  const cancelled = await cancelledInFlight();
  await expectStatus(409, cancel(cancelled.tenant, cancelled.batchId));
});

test('of many concurrent cancellations, exactly one succeeds', async () => {
  const tenant = await newTenant();
  const slow = { type: 'prompt', name: 'slow', config: { model: 'generic-openai/slow', userPrompt: 'wait' } };
  const flow = await publishedFlow(tenant, [slow]);
  await createRecords(tenant, 'thing', 30);
  const { batchId } = await expectStatus(202, runFlowOnRecords(tenant, flow.id, 'thing'));
  const answers = await Promise.all(Array.from({ length: 6 }, () => cancel(tenant, batchId)));
  expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
});

test('404 for an unknown batch and another tenant’s, which continues; 400 for a malformed id or body members; 403', async () => {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, [template('x')]);
  await createRecords(tenant, 'thing', 1);
  const { batchId } = await expectStatus(200, runFlowOnRecords(tenant, flow.id, 'thing'));
  const missing = await expectStatus(404, cancel(tenant, unknownBatch));
  expect(missing).toEqual(notFoundBody('Batch'));
  expect(await expectStatus(404, cancel(await newTenant(), batchId))).toEqual(missing);
  expect((await expectStatus(400, cancel(tenant, 'batch_7'))).details).toMatchObject([{ path: 'id' }]);
  const withMembers = tenant.call('POST', `/v1/batch/cancel/${batchId}`, { body: { force: true } });
  expect((await expectStatus(400, withMembers)).details).toMatchObject([
    { path: 'force', code: 'UNKNOWN_MEMBER' },
  ]);
  await expectStatus(403, cancel(await newKey(tenant, { permissions: ['FLOWS:READ'] }), batchId));
});
