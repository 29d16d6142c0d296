import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import type { Context, SQSEvent } from 'aws-lambda';
import { afterEach, expect, test, vi } from 'vitest';
import { toSqsEvent } from '../../../infra/local/queues/poller.ts';
import { accountId } from '../../../infra/local/runtime/account.ts';
import { queues, queueVisibilitySeconds } from '../../../infra/resources.ts';
import type { FlowStepInput } from '../../../shared/domain/flows/checking/flow-step.ts';
import { acquireRunLease, firstLeaseMs } from '../../../shared/execution/batches/run-lease.ts';
import { plannedBatch, runOnce, sqsEvent } from '../../support/flows/batches.ts';
import { template } from '../../support/flows/flows.ts';
import { modelServer } from '../../support/models/model-server.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { stack } from '../../support/stack/stack.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

const minute = 60_000;
const contextOf = (remainingMs: number) => ({ getRemainingTimeInMillis: () => remainingMs }) as Context;

/** A batch with a model call, and the worker as a new Lambda. */
async function world(more: FlowStepInput[] = [template('x')]) {
  const models = await modelServer();
  vi.stubEnv('GENERIC_OPENAI_BASE_URL', models.url);
  vi.resetModules();
  const { handler } = await import('../../../functions/workers/run-record.ts');
  const config = { model: 'generic-openai/any', userPrompt: 'x' };
  const batch = await plannedBatch({ steps: [{ type: 'prompt', name: 'ask', config }, ...more] });
  const take = (event: SQSEvent, remainingMs = 15 * minute) => handler(event, contextOf(remainingMs));
  return { models, batch, take };
}

/** The n-th delivery of the batch's message, which was first delivered some time ago. */
function delivery(batch: Awaited<ReturnType<typeof plannedBatch>>, n: number, firstAgoMs = 0): SQSEvent {
  const event = sqsEvent([batch.message()]);
  for (const { attributes } of event.Records) {
    attributes.ApproximateReceiveCount = String(n);
    attributes.ApproximateFirstReceiveTimestamp = String(Date.now() - firstAgoMs);
  }
  return event;
}

const all = { batchItemFailures: [] };
const none = { batchItemFailures: [{ itemIdentifier: 'message 0' }] };

test('a message that is redelivered while its first invocation runs is not run twice', async () => {
  const { models, batch, take } = await world();
  models.options.delayMs = 3_000;
  const client = new SQSClient({});
  const name = `q-${randomUUID()}.fifo`;
  await client.send(new CreateQueueCommand({ QueueName: name, Attributes: { FifoQueue: 'true' } }));
  const QueueUrl = `${stack().aws.sqs}/${accountId}/${name}`;
  vi.stubEnv('RUNS_QUEUE_URL', QueueUrl);
  const ids = { MessageGroupId: 'g', MessageDeduplicationId: 'd' };
  await client.send(
    new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(batch.message()), ...ids }),
  );
  const receive = async () => {
    const limits = { VisibilityTimeout: 1, WaitTimeSeconds: 5 };
    const names = { MessageSystemAttributeNames: ['All' as const] };
    const { Messages = [] } = await client.send(new ReceiveMessageCommand({ QueueUrl, ...limits, ...names }));
    return toSqsEvent('arn', Messages);
  };
  const first = take(await receive());
  const again = await receive();
  expect(again.Records[0]?.attributes.ApproximateReceiveCount).toBe('2');
  const [record] = again.Records;
  expect(await take(again)).toEqual({ batchItemFailures: [{ itemIdentifier: record?.messageId }] });
  expect(await first).toEqual(all);
  expect(models.requests).toHaveLength(1);
  expect((await batch.results()).map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 1 });
  // It comes back when the first invocation can no longer run, and then finds nothing to do.
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  const AttributeNames = ['ApproximateNumberOfMessagesNotVisible' as const];
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  expect(Attributes).toEqual({ ApproximateNumberOfMessagesNotVisible: '1' });
  expect(await take(delivery(batch, 3, 16 * minute))).toEqual(all);
  expect(models.requests).toHaveLength(1);
});

test('if the first invocation died, the second goes on after its lease, from its last checkpoint', async () => {
  // So long that the result of the model call is stored meanwhile.
  const script = 'const end = Date.now() + 200; while (Date.now() < end); return 1';
  const slow: FlowStepInput = { type: 'transform-data', name: 'wait', config: { script } };
  const { models, batch, take } = await world([slow]);
  let commits = 0;
  const { commit } = batch.scope.table;
  const table: typeof batch.scope.table = {
    ...batch.scope.table,
    commit: (writes) => (commits++ === 0 ? commit(writes) : Promise.reject(new Error('died'))),
  };
  await expect(runOnce({ ...batch.scope, table }, batch.message())).rejects.toThrow('died');
  expect(await take(delivery(batch, 2, 5 * minute))).toEqual(none);
  expect(await batch.progress()).toMatchObject({ processedRecords: 0 });
  const before = models.requests.length;
  expect(await take(delivery(batch, 3, 16 * minute))).toEqual(all);
  expect(models.requests).toHaveLength(before);
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 1 });
});

test('a later delivery holds the run for as long as its invocation may live', async () => {
  const { models, batch, take } = await world();
  models.options.delayMs = 1_500;
  const second = take(delivery(batch, 2, 16 * minute));
  await eventually(() => expect(models.requests).toHaveLength(1));
  expect(await take(delivery(batch, 3, 16 * minute))).toEqual(none);
  // A first delivery that reached its worker very late.
  expect(await take(delivery(batch, 1, 2 * minute))).toEqual(none);
  expect(await second).toEqual(all);
  expect(models.requests).toHaveLength(1);
});

test('a worker that hands a message back gives up its lease at once', async () => {
  const { models, batch, take } = await world();
  models.options.misbehave = 'hang';
  expect(await take(delivery(batch, 1), 5_500)).toEqual(none);
  delete models.options.misbehave;
  expect(await take(delivery(batch, 2, 1_000))).toEqual(all);
  expect(await batch.progress()).toMatchObject({ status: 'completed', failedRecords: 0 });
});

test('the commit of a writer that outlives its lease fails: there is one set of results', async () => {
  const { models, batch, take } = await world();
  models.options.delayMs = 2_000;
  const late = take(delivery(batch, 1));
  await eventually(() => expect(models.requests).toHaveLength(1));
  models.options.delayMs = 0;
  expect(await take(delivery(batch, 2, 16 * minute))).toEqual(all);
  expect(await late).toEqual(none);
  expect(await batch.results()).toHaveLength(2);
  expect(await batch.progress()).toMatchObject({ status: 'completed', processedRecords: 1 });
});

test('a first delivery holds its run for longer than its invocation lives, and no longer than its message is invisible', () => {
  const { runs } = queues;
  expect(firstLeaseMs).toBeGreaterThan(runs.timeoutSeconds * 1_000);
  expect(firstLeaseMs).toBeLessThan(queueVisibilitySeconds(runs) * 1_000);
});

test('the lease of a first delivery costs no request, that of a later one costs a write', async () => {
  const { runtime, scope, message } = await plannedBatch({ steps: [template('x')] });
  const { runId } = message();
  runtime.reset();
  const firstAt = Date.now();
  expect(await acquireRunLease(scope, { runId, deliveries: 1, firstAt }, firstAt + minute)).toBeUndefined();
  expect(runtime.consumed.commands).toEqual([]);
  const later = { runId, deliveries: 2, firstAt: firstAt - 16 * minute };
  expect(await acquireRunLease(scope, later, firstAt + minute)).toBeUndefined();
  expect(runtime.consumed.commands).toEqual(['UpdateItem']);
});
