import { expect, test } from 'vitest';
import { batchEntity } from '../../../../shared/execution/batches/batch.ts';
import { batchPlanner, type PlanMessage } from '../../../../shared/execution/batches/batch-plan.ts';
import type { RunMessage } from '../../../../shared/execution/batches/run-message.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { plannedBatch, runOnce } from '../../../support/flows/batches.ts';
import { createFlow, createRecords, expectStatus, template } from '../../../support/flows/flows.ts';
import { createSchedule, daily, finishedRuns, scheduleSurface } from '../../../support/flows/schedules.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { countingRuntime, newTenant } from '../../../support/stack/stack.ts';

test('a batch has the options of its schedule', async () => {
  const tenant = await newTenant();
  const { path, flowId } = await scheduleSurface(tenant);
  await createRecords(tenant, 'airport', 12);
  const executionOptions = {
    chunkSize: 5,
    recordConcurrency: 3,
    timeoutMs: 60_000,
    modelOverride: 'm',
    priority: 'high' as const,
  };
  const { id } = await createSchedule(tenant, path, {
    ...daily(flowId),
    recordType: 'airport',
    executionOptions,
  });
  const { body } = await tenant.call('POST', `${path}/${id}/run-now`);
  expect(body).toMatchObject({ recordCount: 12 });
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  expect(await table.get(batchEntity, { id: body.batchExecutionId })).toMatchObject(executionOptions);
  expect(await finishedRuns(tenant, id)).toMatchObject([
    { totalRecords: 12, processedRecords: 12, failedRecords: 0 },
  ]);
});

test.each([
  ['of a type', {}],
  ['listed ones', { recordType: null }],
])('chunkSize is how many records a message enqueues (%s)', async (_what, changes) => {
  const { scope, batch, records, tenant } = await plannedBatch({
    steps: [template('x')],
    recordCount: 12,
    planned: false,
    chunkSize: 5,
    ...changes,
    ...('recordType' in changes && { recordIds: [] }),
  });
  const recordIds = records.map(({ id }) => id);
  if (batch.recordType === null) {
    await scope.table.commit([scope.table.writes.update(batchEntity, batch, { set: { recordIds } })]);
  }
  const sent = await silentQueue<RunMessage>('RUNS_QUEUE_URL');
  const counts: number[] = [];
  let part: PlanMessage | undefined = { tenant, batchId: batch.id, after: null, n: 0 };
  while (part && counts.length < 9) {
    part = await batchPlanner(scope).plan(part);
    counts.push(sent.length);
  }
  expect(counts).toEqual([5, 10, 12]);
  expect(sent.map(({ body }) => body.recordId).toSorted()).toEqual(recordIds.toSorted());
});

test('a run on a record that takes longer than timeoutMs fails', async () => {
  const slow = { type: 'wait-until' as const, name: 'wait', config: { delayMs: 9_000 } };
  const { scope, message, progress, results } = await plannedBatch({
    steps: [template('one'), slow],
    timeoutMs: 300,
  });
  await runOnce(scope, message());
  expect(await progress()).toMatchObject({ status: 'failed', failedRecords: 1 });
  expect(await results()).toMatchObject([
    { stepName: 'one', status: 'completed' },
    { stepName: 'wait', status: 'failed', errorMessage: 'The run exceeded its time limit of 300 ms' },
  ]);
});

test('with reuse, a firing takes over what is unchanged', async () => {
  const tenant = await newTenant();
  const { path } = await scheduleSurface(tenant);
  const prompt = { type: 'prompt', name: 'ask', config: { model: 'gpt-4o-mini', userPrompt: 'Hello' } };
  const flow = await createFlow(tenant, [prompt]);
  const [record] = await createRecords(tenant, 'thing', 1);
  const given = { ...daily(flow.id), recordIds: [record?.id], executionOptions: { reuse: 'unchanged' } };
  const { id } = await createSchedule(tenant, path, given);
  for (const runs of [1, 2]) {
    await expectStatus(200, tenant.call('POST', `${path}/${id}/run-now`));
    await eventually(async () => expect(await finishedRuns(tenant, id)).toHaveLength(runs));
  }
  const { body } = await tenant.call('GET', `/v1/flows/${flow.id}/step-results`);
  expect(body.data.map((row: { reusedFrom: unknown }) => row.reusedFrom !== null)).toEqual([true, false]);
});

test('modelOverride is the model of every model call of the run', async () => {
  const tenant = await newTenant();
  const { path } = await scheduleSurface(tenant);
  const prompt = { type: 'prompt', name: 'ask', config: { model: 'unknown-model', userPrompt: 'Hello' } };
  const flow = await createFlow(tenant, [prompt]);
  const given = { ...daily(flow.id), executionOptions: { modelOverride: 'gpt-4o-mini' } };
  const { id } = await createSchedule(tenant, path, given);
  await expectStatus(200, tenant.call('POST', `${path}/${id}/run-now`));
  const [run] = await finishedRuns(tenant, id);
  expect(run).toMatchObject({ status: 'completed', failedRecords: 0 });
  expect(run.totalCostUsd).toBeGreaterThan(0);
  const { body } = await tenant.call('GET', `/v1/flows/${flow.id}/step-results`);
  expect(body.data).toMatchObject([{ modelUsed: 'generic-openai/gpt-4o-mini' }]);
});
