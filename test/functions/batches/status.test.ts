import { expect, test } from 'vitest';
import {
  type BatchStatus,
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  runFlowOnRecords,
  template,
} from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newKey } from '../../support/stack/keys.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknownBatch = `batch_${'0'.repeat(26)}`;
const status = ({ call }: Pick<Tenant, 'call'>, id: string) => call('GET', `/v1/batch/status/${id}`);

async function ranOn(recordCount: number, steps: object[]) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  await createRecords(tenant, 'thing', recordCount);
  const { batchId } = (await runFlowOnRecords(tenant, flow.id, 'thing')).body;
  return { tenant, flow, batchId: batchId as string };
}

const script = (code: string) => ({ type: 'transform-data', name: 'script', config: { script: code } });
const slow = {
  type: 'prompt',
  name: 'slow',
  config: { model: 'generic-openai/slow', userPrompt: 'wait' },
};

test('a finished batch returns all its fields', async () => {
  const { tenant, flow, batchId } = await ranOn(12, [template('x')]);
  await finishedBatch(tenant, batchId);
  const answer = await expectStatus(200, status(tenant, batchId));
  expect(answer).toEqual({
    batchExecutionId: batchId,
    flowId: flow.id,
    priority: 'normal',
    status: 'completed',
    totalRecords: 12,
    processedRecords: 12,
    failedRecords: 0,
    successCount: 12,
    warnings: {},
    progress: 100,
    startedAt: expect.stringMatching(/Z$/),
    completedAt: expect.stringMatching(/Z$/),
    error: null,
  });
  expect(answer.completedAt >= answer.startedAt).toBe(true);
});

test('a batch is scheduled until the first record is done, then running; the counts only grow', async () => {
  const { tenant, batchId } = await ranOn(25, [slow]);
  const seen: BatchStatus[] = [];
  await finishedBatch(tenant, batchId, (status) => seen.push(status));
  expect([...new Set(seen.map((each) => each.status))]).toEqual(['scheduled', 'running', 'completed']);
  const counts = seen.map(({ processedRecords }) => processedRecords);
  expect(counts).toEqual(counts.toSorted((one, other) => one - other));
  for (const answer of seen) {
    expect(answer.progress).toBe(Math.floor((answer.processedRecords / 25) * 100));
    expect('completedAt' in answer).toBe(answer.status === 'completed');
  }
});

test('failed records count as processed; the batch completes unless all records fail', async () => {
  const some = await ranOn(4, [
    script('if (Number(_record.metadata.value) < 3) throw new Error("no"); return 1'),
  ]);
  expect(await finishedBatch(some.tenant, some.batchId)).toMatchObject({
    status: 'completed',
    totalRecords: 4,
    processedRecords: 4,
    failedRecords: 3,
    successCount: 1,
    progress: 100,
  });
  const all = await ranOn(3, [script('throw new Error("no")')]);
  expect(await finishedBatch(all.tenant, all.batchId)).toMatchObject({
    status: 'failed',
    totalRecords: 3,
    processedRecords: 3,
    failedRecords: 3,
    successCount: 0,
    progress: 100,
  });
});

test('404 for an unknown batch and another tenant’s; 400 for a malformed id; 403 without FLOWS:READ', async () => {
  const { tenant, batchId } = await ranOn(1, [template('x')]);
  const missing = await expectStatus(404, status(tenant, unknownBatch));
  expect(missing).toEqual(notFoundBody('Batch'));
  expect(await expectStatus(404, status(await newTenant(), batchId))).toEqual(missing);
  expect((await expectStatus(400, status(tenant, 'batch_7'))).details).toMatchObject([{ path: 'id' }]);
  const key = await newKey(tenant, { permissions: ['RECORDS:READ'] });
  await expectStatus(403, status(key, batchId));
});
