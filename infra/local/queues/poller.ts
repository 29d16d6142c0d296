import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { log } from '../../../shared/core/log.ts';
import { invoke } from '../invoke.ts';
import { sqsEventOf } from './sqs-event.ts';

export interface EventSource {
  url: string;
  arn: string;
  /** The Lambda: `functions/workers/<worker>.ts`. */
  worker: string;
  batchSize: number;
  timeoutSeconds: number;
  concurrency: number;
  /** Short, so that work resumes soon after a crash; a running invocation extends it. */
  visibilitySeconds: number;
}

/** The delay of each redelivery. Never 0: fauxqs cannot store that and would lose the message. */
const retrySeconds = ({ Attributes }: Message) =>
  Math.min(60, 2 ** (Number(Attributes?.ApproximateReceiveCount ?? 1) - 1));
const waitSeconds = 20;

/** Emulates Lambda's event source mapping: long-polls the queue and invokes the worker until it is stopped. */
export function startPoller(client: SQSClient, source: EventSource) {
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function poll() {
    while (!stopping.signal.aborted) {
      if (running.size >= source.concurrency) await Promise.race(running);
      const messages = await receive(client, source, stopping.signal);
      if (messages.length === 0) continue;
      const job = work(client, source, messages).finally(() => running.delete(job));
      running.add(job);
    }
  }
  const polling = poll();
  return {
    /** Stops receiving. Messages in progress become visible again after the visibility timeout. */
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
  const { visibilitySeconds } = source;
  const keep = () => hold(client, source, messages, () => visibilitySeconds);
  const heartbeat = setInterval(keep, (visibilitySeconds * 1000) / 3);
  try {
    const failed = await failuresOf(source, messages);
    const done = messages.filter(({ MessageId }) => !failed.has(MessageId));
    if (done.length > 0) await remove(client, source, done);
    const again = messages.filter(({ MessageId }) => failed.has(MessageId));
    if (again.length > 0) await hold(client, source, again, retrySeconds);
  } catch (error) {
    log.error('Could not delete or return messages', { error, queue: source.arn });
  } finally {
    clearInterval(heartbeat);
  }
}

/** The ids of the messages to retry: all if the worker throws or returns an unknown id. */
async function failuresOf(source: EventSource, messages: Message[]): Promise<Set<string | undefined>> {
  const all = new Set(messages.map(({ MessageId }) => MessageId));
  try {
    const answer = await invoke<SQSEvent, SQSBatchResponse | undefined>(
      `workers/${source.worker}`,
      sqsEventOf(source.arn, messages),
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
  client.send(new DeleteMessageBatchCommand({ QueueUrl: url, Entries: entriesOf(messages) }));

const hold = (
  client: SQSClient,
  { url, arn }: EventSource,
  messages: Message[],
  secondsOf: (message: Message) => number,
) =>
  client
    .send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl: url,
        Entries: messages.map((message, index) => ({
          Id: String(index),
          ReceiptHandle: message.ReceiptHandle,
          VisibilityTimeout: secondsOf(message),
        })),
      }),
    )
    .catch((error) => log.warn('Could not extend the visibility timeout of messages', { error, queue: arn }));

const entriesOf = (messages: Message[]) =>
  messages.map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
