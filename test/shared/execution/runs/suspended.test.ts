import { GetScheduleCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { expect, test } from 'vitest';
import { batchStore } from '../../../../shared/execution/batches/batch-store.ts';
import type { TimerMessage } from '../../../../shared/execution/batches/run-timer.ts';
import { getCheckpointWaits } from '../../../../shared/execution/runs/checkpoint.ts';
import { readCheckpoints } from '../../../../shared/execution/runs/read-checkpoints.ts';
import type { Scope } from '../../../../shared/platform/data/scope.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { type PlannedBatch, plannedBatch, runOnce } from '../../../support/flows/batches.ts';
import {
  type BatchStatus,
  createRecords,
  expectStatus,
  finishedBatch,
  template,
} from '../../../support/flows/flows.ts';
import { everyStepResult } from '../../../support/flows/step-results.ts';
import { eventually } from '../../../support/stack/eventually.ts';
import { newTenant } from '../../../support/stack/stack.ts';

const minute = 60_000;
const wait = (config: Record<string, unknown>) => ({ type: 'wait-until', name: 'wait', config });
const steps = (config: Record<string, unknown>) => [
  template('before', 'a'),
  wait(config),
  template('after {{ a }}'),
];

const prompt = {
  type: 'prompt' as const,
  name: 'ask',
  config: { model: 'generic-openai/gpt-4o-mini', userPrompt: 'hi' },
};

/** The same world some time later. */
const later = (scope: Scope, ms: number): Scope => ({
  ...scope,
  now: () => new Date(Date.now() + ms),
});
const checkpoints = ({ scope, message }: PlannedBatch) => readCheckpoints(scope, message());

test('a long wait occupies no worker: the results so far are recorded, and the record does not count yet', async () => {
  const batch = await plannedBatch({ steps: steps({ delayMs: 10 * minute }) });
  await runOnce(batch.scope, batch.message());
  expect(await checkpoints(batch)).toMatchObject([{ results: [{ path: '0' }], waiting: { path: '1' } }]);
  expect(await batch.progress()).toMatchObject({ status: 'scheduled', processedRecords: 0 });
});

test('a suspended run resumes at its wait, whose duration includes the suspension', async () => {
  const batch = await plannedBatch({ steps: steps({ delayMs: 10 * minute }) });
  await runOnce(batch.scope, batch.message());
  await runOnce(later(batch.scope, 10 * minute), { ...batch.message(), wake: 1 });
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 1 });
  const rows = await batch.results();
  expect(rows.map(({ outputPreview }) => outputPreview)).toEqual([
    'before',
    expect.stringContaining('waitedMs'),
    'after before',
  ]);
  expect(rows[1]?.durationMs).toBeGreaterThanOrEqual(10 * minute);
  expect(rows[2]?.durationMs).toBeLessThan(10 * minute);
});

test('a message during the suspension changes nothing', async () => {
  const batch = await plannedBatch({ steps: steps({ delayMs: 10 * minute }) });
  for (const _ of [1, 2, 3]) await runOnce(batch.scope, batch.message());
  expect(await checkpoints(batch)).toHaveLength(1);
  for (const _ of [1, 2]) await runOnce(later(batch.scope, 10 * minute), batch.message());
  expect(await batch.progress()).toMatchObject({ processedRecords: 1 });
  expect(await batch.results()).toHaveLength(3);
});

test('a poll without a result writes nothing', async () => {
  const poll = wait({ condition: `Date.now() > ${Date.now() + minute}`, pollIntervalMs: 30_000 });
  const batch = await plannedBatch({ steps: [poll, template('x')] });
  for (const _ of [1, 2]) await runOnce(batch.scope, batch.message());
  expect(await checkpoints(batch)).toMatchObject([{ waiting: { path: '0' } }]);
});

test('a run counts its resumptions in one wait, and fails when they have no end', async () => {
  const sent = await silentQueue<TimerMessage>('WAKES_QUEUE_URL');
  const poll = wait({ condition: 'false', pollIntervalMs: 30_000 });
  const batch = await plannedBatch({ steps: [poll, template('x')] });
  await runOnce(batch.scope, batch.message());
  await runOnce(batch.scope, { ...batch.message(), polls: 1 });
  expect(sent.map(({ body }) => body.run.polls)).toEqual([1, 2]);
  await runOnce(batch.scope, { ...batch.message(), polls: 300_000 });
  expect(await checkpoints(batch)).toMatchObject([
    {},
    { end: { status: 'failed', error: 'The run resumed 300000 times in one wait' } },
  ]);
  expect(await batch.progress()).toMatchObject({ status: 'failed', failedRecords: 1 });
  expect(sent).toHaveLength(2);
});

test('two waits suspend one after the other', async () => {
  const batch = await plannedBatch({ steps: [wait({ delayMs: minute }), wait({ delayMs: minute })] });
  const waits = async () =>
    (await checkpoints(batch)).map(
      ({ waiting, end }) => getCheckpointWaits({ waiting })[0]?.path ?? end?.status,
    );
  await runOnce(batch.scope, batch.message());
  await runOnce(later(batch.scope, minute), batch.message());
  expect(await waits()).toEqual(['0', '1']);
  await runOnce(later(batch.scope, 2 * minute), batch.message());
  expect(await waits()).toEqual(['0', '1', 'completed']);
});

test('a resumed run ends with the cost and the prompt of its first part', async () => {
  const batch = await plannedBatch({ steps: [prompt, wait({ delayMs: minute }), template('x')] });
  await runOnce(batch.scope, batch.message());
  await runOnce(later(batch.scope, minute), batch.message());
  const [asked] = await batch.results();
  const { cost } = await batchStore(batch.scope).totals(batch.batch);
  expect(cost).toBe(Number(asked?.estimatedCost));
  expect(cost).toBeGreaterThan(0);
  expect((await checkpoints(batch)).at(-1)?.finished?.promptStepId).toBe(asked?.stepId);
});

test('a wait inside a branch resumes inside that branch', async () => {
  const branch = { condition: 'true', trueSteps: [wait({ delayMs: minute }), template('inside')] };
  const conditional = { type: 'conditional', name: 'if', config: branch };
  const batch = await plannedBatch({ steps: [conditional, template('outside')] });
  await runOnce(batch.scope, batch.message());
  await runOnce(later(batch.scope, minute), batch.message());
  const rows = await batch.results();
  expect(rows.map(({ stepName }) => stepName)).toEqual(['if', 'wait', 'inside', 'outside']);
});

/** A run that asked a model and was suspended, and whose batch was cancelled then. */
async function cancelledWhileSuspended() {
  const batch = await plannedBatch({ steps: [prompt, ...steps({ delayMs: minute })] });
  await runOnce(batch.scope, batch.message());
  await expectStatus(200, batch.call('POST', `/v1/batch/cancel/${batch.batch.id}`));
  return batch;
}
const cancelledEnd = { status: 'failed', error: 'The batch was cancelled' };

test('a suspended run of a cancelled batch ends when its timer fires; its cost counts, its record does not', async () => {
  const batch = await cancelledWhileSuspended();
  for (const _ of [1, 2]) await runOnce(later(batch.scope, minute), batch.message());
  const ends = (await checkpoints(batch)).flatMap(({ end }) => end ?? []);
  expect(ends).toMatchObject([cancelledEnd]);
  expect(await batch.progress()).toMatchObject({ status: 'cancelled', processedRecords: 0 });
  const [asked] = await batch.results();
  const { cost } = await batchStore(batch.scope).totals(batch.batch);
  expect(cost).toBe(Number(asked?.estimatedCost));
});

test('the result of a suspended run of a cancelled batch can be deleted before its timer fires', async () => {
  const batch = await cancelledWhileSuspended();
  const path = `/v1/records/${batch.message().recordId}/results`;
  await expectStatus(204, batch.call('DELETE', path, { body: { resultId: batch.message().runId } }));
  expect(await batch.results()).toEqual([]);
  await runOnce(later(batch.scope, minute), batch.message());
  expect(await batch.results()).toEqual([]);
  expect(await batch.progress()).toMatchObject({ status: 'cancelled', processedRecords: 0 });
});

test('a run that never started leaves nothing behind when its batch is cancelled', async () => {
  const batch = await plannedBatch({ steps: steps({ delayMs: minute }) });
  await expectStatus(200, batch.call('POST', `/v1/batch/cancel/${batch.batch.id}`));
  await runOnce(batch.scope, batch.message());
  expect(await checkpoints(batch)).toEqual([]);
});

test('a suspended dispatched run ends when it is cancelled', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const body = {
    flow: { name: 'Waits', steps: steps({ delayMs: 60 * minute }) },
    record: { id: record?.id },
    options: { streamResponse: false, flowMode: 'upsert' },
  };
  const paused = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  await expectStatus(200, tenant.call('POST', `/v1/batch/cancel/${paused.batchExecutionId}`));
  const path = `/v1/records/${record?.id}/results`;
  const { data } = await expectStatus(200, tenant.call('GET', path));
  expect(data).toMatchObject([{ id: paused.executionId, status: 'failed' }]);
  await expectStatus(204, tenant.call('DELETE', path, { body: { resultId: paused.executionId } }));
});

test('a wait of more than 15 minutes uses a schedule', async () => {
  const batch = await plannedBatch({ steps: steps({ delayMs: 3 * 60 * minute }) });
  await runOnce(batch.scope, batch.message());
  const { runId } = batch.message();
  const schedule = await new SchedulerClient({}).send(
    new GetScheduleCommand({ Name: `${runId}-1`, GroupName: process.env.SCHEDULE_GROUP }),
  );
  const [at = ''] = /\d{4}[\d:T-]+/.exec(schedule.ScheduleExpression ?? '') ?? [];
  expect(Date.parse(`${at}Z`) - Date.now()).toBeGreaterThan(2.9 * 60 * minute);
  expect(JSON.parse(schedule.Target?.Input ?? '')).toMatchObject({ run: { runId, wake: 1 } });
});

test.concurrent('a suspended dispatched run continues as a batch with all its input', async () => {
  const tenant = await newTenant();
  const body = {
    flow: { name: 'Waits', steps: [wait({ delayMs: 10_500 }), template('{{ _record.name }} {{ who }}')] },
    record: { type: 'person', name: 'Ada' },
    inputs: { who: 'Lovelace' },
    options: { streamResponse: false },
  };
  const paused = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  expect(paused).toMatchObject({ success: true, status: 'paused', output: null });
  const seen: BatchStatus[] = [];
  const { status, results } = await finishedBatch(tenant, paused.batchExecutionId, (now) => seen.push(now));
  expect([seen[0]?.status, status]).toEqual(['scheduled', 'completed']);
  const { executionId } = paused;
  expect(results).toEqual([
    { executionId, recordId: null, success: true, output: 'Ada Lovelace', error: null },
  ]);
});

test.concurrent('a dispatched run of a stored flow has one result across its wait', async () => {
  const tenant = await newTenant();
  const flow = await expectStatus(
    201,
    tenant.call('POST', '/v1/flows', { body: { name: 'F', flowSteps: steps({ delayMs: 10_200 }) } }),
  );
  const body = { flow: { id: flow.id }, options: { streamResponse: false } };
  const { executionId } = await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const path = `/v1/flows/${flow.id}/step-results`;
  const rows = () => everyStepResult(tenant, path);
  expect(await rows()).toHaveLength(1);
  await eventually(async () => expect(await rows()).toHaveLength(3), 25_000);
  const sessions = (await rows()).map(({ executionSessionId }) => executionSessionId);
  expect(new Set(sessions)).toEqual(new Set([executionId]));
});

test.concurrent('a resumed dispatched run still appends its outputs to its record', async () => {
  const tenant = await newTenant();
  const [record] = await createRecords(tenant, 'thing', 1);
  const body = {
    flow: {
      name: 'Waits',
      steps: [template('before', 'a'), wait({ delayMs: 10_100 }), template('after', 'b')],
    },
    record: { id: record?.id },
    options: { streamResponse: false, autoAppendMetadata: true },
  };
  await expectStatus(200, tenant.call('POST', '/v1/dispatch', { body }));
  const read = () => expectStatus(200, tenant.call('GET', `/v1/records/${record?.id}`));
  await eventually(
    async () => expect((await read()).metadata).toEqual({ value: '0', a: 'before', b: 'after' }),
    25_000,
  );
});
