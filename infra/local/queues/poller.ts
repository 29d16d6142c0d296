import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { orAborted } from '../../../shared/core/concurrency/abort.ts';
import { log } from '../../../shared/core/log.ts';
import { region } from '../runtime/account.ts';
import { invoke } from '../runtime/invoke.ts';

export interface EventSource {
  url: string;
  arn: string;
  /** The Lambda: `functions/workers/<worker>.ts`. */
  worker: string;
  batchSize: number;
  timeoutSeconds: number;
  concurrency: number;
  /** A message is delivered again after this time, even if its first invocation still runs. */
  visibilitySeconds: number;
  /** Invokes the worker elsewhere than in this process. */
  invoke?:
    | ((name: string, event: SQSEvent, timeoutSeconds: number) => Promise<SQSBatchResponse | undefined>)
    | undefined;
  /** When a failed message is delivered again. Without it, after the rest of the visibility timeout, as on AWS. */
  retrySeconds?: ((deliveries: number) => number) | undefined;
}

const waitSeconds = 20;

/** Emulates Lambda's event source mapping: long-polls the queue and invokes the worker until it is stopped. */
export function startPoller(client: SQSClient, source: EventSource) {
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function poll() {
    while (!stopping.signal.aborted) {
      if (running.size >= source.concurrency)
        await orAborted(Promise.race(running), stopping.signal).catch(() => {});
      if (stopping.signal.aborted) return;
      const messages = await receive(client, source, stopping.signal);
      if (messages.length === 0) continue;
      const job = work(client, source, messages).finally(() => running.delete(job));
      running.add(job);
    }
  }
  const polling = poll();
  return {
    /** Stops receiving. Messages in progress become visible again after the visibility timeout, or at the next start. */
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}

async function receive(client: SQSClient, source: EventSource, abortSignal: AbortSignal): Promise<Message[]> {
  const command = new ReceiveMessageCommand({
    QueueUrl: source.url,
    MaxNumberOfMessages: source.batchSize,
    WaitTimeSeconds: waitSeconds,
    VisibilityTimeout: source.visibilitySeconds,
    MessageSystemAttributeNames: ['All'],
    MessageAttributeNames: ['All'],
  });
  try {
    const { Messages = [] } = await client.send(command, { abortSignal });
    return Messages;
  } catch (error) {
    if (abortSignal.aborted) return [];
    log.warn('Could not receive messages', { error, queue: source.arn });
    await sleep(1_000, undefined, { signal: abortSignal }).catch(() => {});
    return [];
  }
}

async function work(client: SQSClient, source: EventSource, messages: Message[]): Promise<void> {
  try {
    const failed = await failuresOf(source, messages);
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId));
    if (done.length > 0) await remove(client, source, done);
    const again = messages.filter(({ MessageId }) => failed.has(MessageId));
    if (again.length > 0 && source.retrySeconds) await giveBack(client, source, again, source.retrySeconds);
  } catch (error) {
    log.error('Could not delete or return messages', { error, queue: source.arn });
  }
}

/** The ids of the messages to retry: all if the worker throws or returns an unknown id. */
async function failuresOf(source: EventSource, messages: Message[]): Promise<Set<string | undefined>> {
  const all = new Set(messages.map(({ MessageId }) => MessageId));
  try {
    const { invoke: invokeWorker = invoke<SQSEvent, SQSBatchResponse | undefined> } = source;
    const answer = await invokeWorker(
      `workers/${source.worker}`,
      toSqsEvent(source.arn, messages),
      source.timeoutSeconds,
    );
    const failed = new Set((answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier));
    return failed.isSubsetOf(all) ? failed : all;
  } catch (error) {
    log.error('A worker failed', { error, worker: source.worker });
    return all;
  }
}

const remove = (client: SQSClient, { url }: EventSource, messages: Message[]) =>
  client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries: listEntries(messages) }));

const giveBack = (
  client: SQSClient,
  { url }: EventSource,
  messages: Message[],
  retrySeconds: (deliveries: number) => number,
) =>
  client.send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl: url,
      Entries: messages.map(({ ReceiptHandle, Attributes }, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout: retrySeconds(Number(Attributes?.ApproximateReceiveCount ?? 1)),
      })),
    }),
  );

const listEntries = (messages: Message[]) =>
  messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));

/** Converts received messages to the event of Lambda's event source mapping. */
export const toSqsEvent = (queueArn: string, messages: readonly Message[]): SQSEvent => ({
  Records: messages.map((message) => recordOf(queueArn, message)),
});

const recordOf = (queueArn: string, message: Message): SQSRecord => ({
  messageId: message.MessageId ?? '',
  receiptHandle: message.ReceiptHandle ?? '',
  body: message.Body ?? '',
  attributes: message.Attributes as unknown as SQSRecord['attributes'],
  messageAttributes: Object.fromEntries(
    Object.entries(message.MessageAttributes ?? {}).map(
      ([name, { DataType = 'String', StringValue, BinaryValue }]) => [
        name,
        {
          dataType: DataType,
          ...(StringValue !== undefined && { stringValue: StringValue }),
          ...(BinaryValue && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
        },
      ],
    ),
  ),
  md5OfBody: message.MD5OfBody ?? '',
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: region,
});
