import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { handler as failRecord } from '../../../../functions/workers/fail-record.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { recordEntity } from '../../../../shared/domain/records/record.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { batchPlanner } from '../../../../shared/execution/batches/batch-plan.ts';
import { joinRunMessages, type RunMessage } from '../../../../shared/execution/batches/run-message.ts';
import { TimerMessage } from '../../../../shared/execution/batches/run-timer.ts';
import { checkpointEntity } from '../../../../shared/execution/runs/checkpoint.ts';
import { documentClient } from '../../../../shared/platform/data/client.ts';
import { toStoredKey } from '../../../../shared/platform/data/keys.ts';
import { queueOfItsOwn } from '../../../support/data/queues.ts';
import { silentQueue } from '../../../support/data/silent-queue.ts';
import { deliverRunMessages, plannedBatch, runOnce, sqsEvent } from '../../../support/flows/batches.ts';
import { finishedBatch, template } from '../../../support/flows/flows.ts';
import { stack } from '../../../support/stack/stack.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const steps = [template('a')];
/** A message that was given up on for the last time. */
const givenUp = (message: RunMessage) => sqsEvent([{ ...message, restarts: 2 }]);

test('a record from the dead-letter queue fails with a reason, and counts once however often its message arrives', async () => {
  const batch = await plannedBatch({ recordCount: 2, steps });
  const event = givenUp(batch.message());
  await Promise.all([failRecord(event), failRecord(event)].map((each) => each.catch(() => {})));
  await failRecord(event);
  expect(await batch.progress()).toMatchObject({ status: 'running', processedRecords: 1, failedRecords: 1 });
  // Its message is taken if it comes after all.
  expect(await deliverRunMessages([batch.message()])).toEqual([]);
  expect(await batch.progress()).toMatchObject({ processedRecords: 1, failedRecords: 1 });
  await deliverRunMessages([batch.message(1)]);
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 2,
    failedRecords: 1,
  });
});

test('a record from the dead-letter queue is retried after a delay, twice, before it fails', async () => {
  const { delayed } = await queueOfItsOwn('WAKES_QUEUE_URL');
  const batch = await plannedBatch({ steps });
  await failRecord(sqsEvent([batch.message()]));
  expect(await delayed()).toBe(1);
  await failRecord(sqsEvent([{ ...batch.message(), restarts: 1, wake: 1 }]));
  const { scheduler } = stack().aws;
  const group = process.env.SCHEDULE_GROUP;
  const response = await fetch(`${scheduler}/schedules/${batch.message().runId}-2?groupName=${group}`);
  const schedule = z.object({ Target: z.object({ Input: z.string() }) }).parse(await response.json());
  const { at, run } = TimerMessage.parse(JSON.parse(schedule.Target.Input));
  expect(Date.parse(at)).toBeGreaterThan(Date.now() + 50 * 60_000);
  expect(run).toEqual({ ...batch.message(), restarts: 2, wake: 2 });
  expect(await batch.progress()).toMatchObject({ status: 'scheduled', processedRecords: 0 });
  await runOnce(batch.scope, run);
  expect(await batch.progress()).toMatchObject({ status: 'completed', failedRecords: 0 });
});

test('of a message from the dead-letter queue, each record that has not ended is retried by itself', async () => {
  const batch = await plannedBatch({ recordCount: 4, recordConcurrency: 1, steps });
  await deliverRunMessages([batch.message(0)]);
  const sent = await silentQueue<TimerMessage>('WAKES_QUEUE_URL');
  // One that cannot be read does not hold up the others.
  const { PK, SK } = toStoredKey(batch.tenant, checkpointEntity.key({ ...batch.message(2), index: 0 }));
  const { table: TableName } = stack();
  const client = documentClient();
  await client.send(new PutCommand({ TableName, Item: { PK, SK, results: 'unreadable' } }));
  await failRecord(sqsEvent([joinRunMessages(batch.messages)]));
  await client.send(new DeleteCommand({ TableName, Key: { PK, SK } }));
  expect(sent.map(({ body }) => body.run)).toEqual(
    batch.messages.slice(1).map((message) => ({ ...message, restarts: 1, wake: 1 })),
  );
  for (const { body } of sent) await deliverRunMessages([body.run]);
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 4,
    failedRecords: 0,
  });
});

test.each(['record', 'checkpoint'])(
  'a record from the dead-letter queue fails although its %s cannot be read, which may be why its run failed',
  async (what) => {
    const batch = await plannedBatch({ recordCount: 2, steps });
    await deliverRunMessages([batch.message(1)]);
    const { recordId = null, runId } = batch.message();
    const key =
      what === 'record'
        ? recordEntity.key({ id: recordId ?? '' })
        : checkpointEntity.key({ recordId, runId, index: 0 });
    const { PK, SK } = toStoredKey(batch.tenant, key);
    const Item = { PK, SK, results: 'unreadable' };
    await documentClient().send(new PutCommand({ TableName: stack().table, Item }));
    expect(await deliverRunMessages([batch.message()])).toHaveLength(1);
    await failRecord(givenUp(batch.message()));
    await failRecord(givenUp(batch.message()));
    expect(await batch.progress()).toMatchObject({
      status: 'completed',
      processedRecords: 2,
      failedRecords: 1,
    });
  },
);

test('a dispatched run from the dead-letter queue fails although its input cannot be read', async () => {
  const input = { pointer: 'batches/none/input', bytes: 1 };
  const dispatched = { runId: newId('exec'), recordId: null, input, appendsMetadata: false };
  const batch = await plannedBatch({ steps, dispatched });
  expect(await deliverRunMessages([batch.message()])).toHaveLength(1);
  await failRecord(givenUp(batch.message()));
  expect(await batch.progress()).toMatchObject({ processedRecords: 1, failedRecords: 1 });
});

test('one that has ended after all stays as it ended', async () => {
  const batch = await plannedBatch({ steps });
  await deliverRunMessages([batch.message()]);
  await failRecord(givenUp(batch.message()));
  expect(await batch.progress()).toMatchObject({
    status: 'completed',
    processedRecords: 1,
    failedRecords: 0,
  });
});

test('one that failed half-way keeps its results', async () => {
  const batch = await plannedBatch({
    steps: [
      { type: 'prompt', name: 'ask', config: { model: 'generic-openai/any', userPrompt: 'x' } },
      { type: 'prompt', name: 'ask again', config: { model: 'generic-openai/any', userPrompt: 'y' } },
      ...steps,
    ],
  });
  let commits = 0;
  const { commit } = batch.scope.table;
  const table = {
    ...batch.scope.table,
    commit: (writes: Parameters<typeof commit>[0]) =>
      commits++ === 0 ? commit(writes) : Promise.reject(new Error('died')),
  };
  await expect(runOnce({ ...batch.scope, table }, batch.message())).rejects.toThrow('died');
  await failRecord(givenUp(batch.message()));
  expect((await batch.results()).map(({ stepName, status }) => [stepName, status])).toEqual([
    ['ask', 'completed'],
  ]);
  expect(await batch.progress()).toMatchObject({ status: 'failed', processedRecords: 1, failedRecords: 1 });
});

test('a batch that is planned twice runs each record once', async () => {
  const batch = await plannedBatch({ recordCount: 30, steps, planned: false });
  const message = { tenant: batch.tenant, batchId: batch.batch.id, after: null, n: 0 };
  const planner = batchPlanner(batch.scope);
  // A worker dies after it has sent some, another begins anew.
  await planner.enqueue(batch.batch, batch.records.slice(0, 15), 0);
  expect(await planner.plan(message)).toBeUndefined();
  expect(await planner.plan(message)).toBeUndefined();
  expect(await finishedBatch(batch, batch.batch.id)).toMatchObject({
    status: 'completed',
    totalRecords: 30,
    processedRecords: 30,
    failedRecords: 0,
  });
  for (const { id } of batch.records) expect(await batch.results(id)).toHaveLength(1);
});

test('records created after the start of a batch are not part of it', async () => {
  const batch = await plannedBatch({ recordCount: 3, steps, planned: false });
  const { userId, organizationId } = batch;
  const draft = { type: 'thing', name: 'late', metadata: {}, messages: null };
  const late = await recordStore(batch.scope).create({ userId, organizationId }, draft);
  await batchPlanner(batch.scope).plan({ tenant: batch.tenant, batchId: batch.batch.id, after: null, n: 0 });
  expect(await finishedBatch(batch, batch.batch.id)).toMatchObject({ totalRecords: 3, processedRecords: 3 });
  expect(await batch.results(late.id)).toEqual([]);
});
