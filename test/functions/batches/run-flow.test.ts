import { expect, test } from 'vitest';
import {
  createRecords,
  expectStatus,
  finishedBatch,
  publishedFlow,
  template,
} from '../../support/flows/flows.ts';
import { everyStepResult } from '../../support/flows/step-results.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknown = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;
const start = ({ call }: Tenant, body: object) => call('POST', '/v1/batch/flow', { body });

async function world(records: number, steps: object[] = [template('hello {{ _record.name }}')]) {
  const tenant = await newTenant();
  const flow = await publishedFlow(tenant, steps);
  const recordIds = (await createRecords(tenant, 'thing', records)).map(({ id }) => id);
  return { tenant, flowId: flow.id as string, recordIds };
}

test.each([3, 40])('%i records listed by id run, and no others', async (count) => {
  const { tenant, flowId, recordIds } = await world(50);
  const chosen = recordIds.slice(0, count);
  const started = await expectStatus(200, start(tenant, { flowId, recordIds: chosen }));
  expect(started).toEqual({
    batchExecutionId: expect.stringMatching(/^batch_/),
    status: 'scheduled',
  });
  const status = await finishedBatch(tenant, started.batchExecutionId);
  expect(status).toMatchObject({ status: 'completed', totalRecords: count, successCount: count });
  const rows = await everyStepResult(tenant, `/v1/flows/${flowId}/step-results`);
  expect(rows.map(({ recordId }) => recordId).toSorted()).toEqual(chosen.toSorted());
});

test('recordConcurrency 1 runs one record after another', async () => {
  const slow = { type: 'wait-until', name: 'wait', config: { delayMs: 60 } };
  const { tenant, flowId, recordIds } = await world(4, [slow]);
  const options = { recordConcurrency: 1 };
  const started = await expectStatus(200, start(tenant, { flowId, recordIds, options }));
  await finishedBatch(tenant, started.batchExecutionId);
  const rows = await everyStepResult(tenant, `/v1/flows/${flowId}/step-results`);
  const times = rows.map(({ startedAt, completedAt }) => [startedAt, completedAt] as [string, string]);
  const ordered = times.toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [index, [startedAt]] of ordered.entries()) {
    if (index > 0) expect(startedAt >= (ordered[index - 1]?.[1] ?? '')).toBe(true);
  }
});

test('maxRetries limits how often a record is retried from the failed step', async () => {
  const broken = { type: 'prompt', name: 'ask', config: { model: 'generic-openai/broken', userPrompt: 'x' } };
  const { tenant, flowId, recordIds } = await world(1, [template('first'), broken]);
  const started = await expectStatus(200, start(tenant, { flowId, recordIds, options: { maxRetries: 1 } }));
  const status = await finishedBatch(tenant, started.batchExecutionId);
  expect(status).toMatchObject({ status: 'failed', failedRecords: 1 });
  const rows = await everyStepResult(
    tenant,
    `/v1/flows/${flowId}/step-results`,
    'sortBy=order&sortOrder=asc',
  );
  expect(rows).toMatchObject([
    { stepName: 'first', retryCount: 0, attempts: null },
    {
      stepName: 'ask',
      status: 'failed',
      retryCount: 1,
      attempts: [
        { type: 'initial', status: 'failed', error: expect.stringContaining('broke down') },
        { type: 'run-retry', delayMs: expect.any(Number), status: 'failed' },
      ],
    },
  ]);
});

test.each([
  ['no records', { recordIds: [] }, 'recordIds'],
  ['1,001 records', { recordIds: Array.from({ length: 1_001 }, (_, n) => recordId(n)) }, 'recordIds'],
  ['a record twice', { recordIds: [recordId(1), recordId(2), recordId(1)] }, 'recordIds.2'],
  ['a garbled record id', { recordIds: ['record_1'] }, 'recordIds.0'],
  ['a garbled flow id', { flowId: 'x', recordIds: [recordId(1)] }, 'flowId'],
  [
    'a concurrency of 51',
    { recordIds: [recordId(1)], options: { recordConcurrency: 51 } },
    'options.recordConcurrency',
  ],
  ['six retries', { recordIds: [recordId(1)], options: { maxRetries: 6 } }, 'options.maxRetries'],
  ['an unknown option', { recordIds: [recordId(1)], options: { fast: true } }, 'options.fast'],
])('%s: 400 with the path', async (_what, body, path) => {
  const tenant = await newTenant();
  const { details } = await expectStatus(400, start(tenant, { flowId: unknown('flow'), ...body }));
  expect(details.map((detail: { path: string }) => detail.path)).toContain(path);
});

function recordId(n: number) {
  return `record_${String(n).padStart(26, '0')}`;
}

test('unknown flows and records return a 404 that names the records, and nothing runs', async () => {
  const { tenant, flowId, recordIds } = await world(2);
  const { recordIds: theirs } = await world(1);
  await expectStatus(404, start(tenant, { flowId: unknown('flow'), recordIds }));
  for (const stranger of [unknown('record'), ...theirs]) {
    const asked = start(tenant, { flowId, recordIds: [...recordIds, stranger] });
    expect(await expectStatus(404, asked)).toEqual({
      error: 'Record not found',
      details: [{ path: 'recordIds.2', code: 'NOT_FOUND', message: `Record ${stranger} does not exist` }],
    });
  }
  const summary = await expectStatus(200, tenant.call('GET', '/v1/batch/summary'));
  expect(summary.batches.concat(summary.recent)).toEqual([]);
});
