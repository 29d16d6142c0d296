import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { expect, test } from 'vitest';
import { invoke } from '../../../infra/local/runtime/invoke.ts';
import { type QueueSpec, queues } from '../../../infra/resources.ts';
import { plannedBatch, sqsEvent } from '../../support/flows/batches.ts';
import { template } from '../../support/flows/flows.ts';

const workers = Object.values<QueueSpec>(queues).flatMap(({ worker, deadLetterWorker }) =>
  deadLetterWorker ? [worker, deadLetterWorker] : [worker],
);
const take = (worker: string, event: SQSEvent) =>
  invoke<SQSEvent, SQSBatchResponse | undefined>(`workers/${worker}`, event, 30);

/** Messages of one group, the malformed ones first. */
function withMalformed(...bodies: object[]): SQSEvent {
  const event = sqsEvent([{}, {}, { tenant: 7 }, ...bodies], () => 'one group');
  const [first] = event.Records;
  if (first) first.body = '{"tenant": ';
  return event;
}

test.each(workers)('%s discards malformed messages, since no retry would fix them', async (worker) => {
  const { batchItemFailures = [] } = (await take(worker, withMalformed())) ?? {};
  expect(batchItemFailures).toEqual([]);
});

test('a record behind malformed messages in its group runs, or fails if it came from the dead-letter queue', async () => {
  const batch = await plannedBatch({ steps: [template('x')], recordCount: 2 });
  await take('run-record', withMalformed(batch.message(0)));
  expect(await batch.progress()).toMatchObject({ processedRecords: 1, failedRecords: 0 });
  await take('fail-record', withMalformed({ ...batch.message(1), restarts: 2 }));
  expect(await batch.progress()).toMatchObject({ processedRecords: 2, failedRecords: 1 });
});
