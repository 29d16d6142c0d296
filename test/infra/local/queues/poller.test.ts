import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  GetQueueAttributesCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type EventSource, startPoller } from '../../../../infra/local/queues/poller.ts';
import { accountId, region } from '../../../../infra/local/runtime/account.ts';
import { stack } from '../../../support/stack/stack.ts';
import { worker } from './recording-worker.ts';

const client = new SQSClient({});
const eventually = { timeout: 15_000, interval: 20 };
let stopPolling: () => Promise<void>;
let QueueUrl: string;
let arn: string;
let deadLetterUrl: string;

beforeEach(async () => {
  const name = `q-${randomUUID()}`;
  arn = arnOf(`${name}.fifo`);
  deadLetterUrl = await createQueue(`${name}-dead.fifo`);
  QueueUrl = await createQueue(`${name}.fifo`, {
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: arnOf(`${name}-dead.fifo`), maxReceiveCount: 2 }),
  });
  Object.assign(worker, { seen: [], answer: async () => undefined });
});

afterEach(() => stopPolling());

test('a worker receives an SQS event, and processed messages are deleted', async () => {
  await client.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: 'hello',
      MessageGroupId: 'g',
      MessageDeduplicationId: 'd',
      MessageAttributes: { kind: { DataType: 'String', StringValue: 'greeting' } },
    }),
  );
  poll();
  await vi.waitFor(() => expect(worker.seen).toHaveLength(1), eventually);
  const [{ event, remainingMs } = { event: undefined, remainingMs: 0 }] = worker.seen;
  expect(event?.Records).toEqual([
    {
      messageId: expect.any(String),
      receiptHandle: expect.any(String),
      body: 'hello',
      attributes: expect.objectContaining({
        ApproximateReceiveCount: '1',
        MessageGroupId: 'g',
        MessageDeduplicationId: 'd',
        SentTimestamp: expect.any(String),
      }),
      messageAttributes: { kind: { dataType: 'String', stringValue: 'greeting' } },
      md5OfBody: '5d41402abc4b2a76b9719d911017c592',
      eventSource: 'aws:sqs',
      eventSourceARN: arn,
      awsRegion: region,
    },
  ]);
  expect(remainingMs).toBeGreaterThan(50_000);
  await vi.waitFor(async () => expect(await messagesIn(QueueUrl)).toBe(0), eventually);
});

test('only the batch items that the worker reports as failed are redelivered', async () => {
  worker.answer = async ({ Records }) => ({
    batchItemFailures: Records.filter(
      ({ body, attributes }) => body === 'bad' && attributes.ApproximateReceiveCount === '1',
    ).map(({ messageId }) => ({ itemIdentifier: messageId })),
  });
  await send('good', 'bad', 'fine');
  poll();
  await vi.waitFor(async () => expect(await messagesIn(QueueUrl)).toBe(0), eventually);
  const bodies = worker.seen.flatMap(({ event }) => event.Records.map(({ body }) => body));
  expect(bodies.toSorted()).toEqual(['bad', 'bad', 'fine', 'good']);
});

test('a message that reaches the receive limit moves to the dead-letter queue', async () => {
  worker.answer = async () => {
    throw new Error('Cannot');
  };
  await send('poison');
  poll();
  await vi.waitFor(async () => expect(await messagesIn(deadLetterUrl)).toBe(1), eventually);
  expect(worker.seen).toHaveLength(2);
});

test('after its visibility timeout a message is redelivered while its first invocation still runs', async () => {
  const done = Promise.withResolvers<undefined>();
  worker.answer = () => done.promise;
  await send('slow');
  poll({ visibilitySeconds: 1 });
  await vi.waitFor(() => expect(worker.seen).toHaveLength(2), eventually);
  const deliveries = worker.seen.map(({ event }) => event.Records[0]?.attributes.ApproximateReceiveCount);
  expect(deliveries).toEqual(['1', '2']);
  done.resolve(undefined);
});

test('a failed message comes back when its visibility timeout ends, or when its worker said', async () => {
  worker.answer = async ({ Records }) => {
    const [{ receiptHandle: ReceiptHandle, body } = { receiptHandle: '', body: '' }] = Records;
    const visibility = { QueueUrl, ReceiptHandle, VisibilityTimeout: 1 };
    if (body === 'set') await client.send(new ChangeMessageVisibilityCommand(visibility));
    throw new Error('Cannot');
  };
  await send('set', 'unset');
  poll({ visibilitySeconds: 6, batchSize: 1, retrySeconds: undefined });
  await vi.waitFor(() => expect(worker.seen).toHaveLength(3), eventually);
  expect(worker.seen.map(({ event }) => event.Records[0]?.body)).toEqual(['set', 'unset', 'set']);
  await vi.waitFor(() => expect(worker.seen).toHaveLength(4), eventually);
});

test('concurrent invocations stay within the limit of the event source', async () => {
  const done = Promise.withResolvers<undefined>();
  worker.answer = () => done.promise;
  poll({ concurrency: 2, batchSize: 1 });
  await send('a', 'b', 'c');
  await vi.waitFor(() => expect(worker.seen).toHaveLength(2), eventually);
  done.resolve(undefined);
  await vi.waitFor(() => expect(worker.seen).toHaveLength(3), eventually);
  await vi.waitFor(async () => expect(await messagesIn(QueueUrl)).toBe(0), eventually);
});

function poll(options: Partial<EventSource> = {}) {
  stopPolling = startPoller(client, {
    url: QueueUrl,
    arn,
    worker: '../../test/infra/local/queues/recording-worker',
    batchSize: 10,
    concurrency: 10,
    visibilitySeconds: 60,
    timeoutSeconds: 60,
    retrySeconds: () => 1,
    ...options,
  }).stop;
}

const send = (...bodies: string[]) =>
  client.send(
    new SendMessageBatchCommand({
      QueueUrl,
      Entries: bodies.map((MessageBody, index) => ({
        Id: String(index),
        MessageBody,
        MessageGroupId: `group-${index}`,
        MessageDeduplicationId: randomUUID(),
      })),
    }),
  );

const arnOf = (name: string) => `arn:aws:sqs:${region}:${accountId}:${name}`;

async function createQueue(QueueName: string, more: Record<string, string> = {}): Promise<string> {
  await client.send(new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: 'true', ...more } }));
  return `${stack().aws.sqs}/${accountId}/${QueueName}`;
}

/** Waiting and at work. */
async function messagesIn(url: string): Promise<number> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
  );
  return (
    Number(Attributes.ApproximateNumberOfMessages) + Number(Attributes.ApproximateNumberOfMessagesNotVisible)
  );
}
