import { createHash } from 'node:crypto';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { toChunks } from '../../core/chunks.ts';
import { loadOnce } from '../../core/concurrency/load-once.ts';
import { requireEnv } from '../../core/environment.ts';
import { removeSdkLogger } from './sdk-clients.ts';

/** A message of a FIFO queue. SQS deduplicates messages with the same `id` for five minutes. */
export interface GroupedMessage {
  id: string;
  group: string;
  body: unknown;
}

const sqs = loadOnce(() => removeSdkLogger(new SQSClient({})));

/** Sends in order, in batches of ten. @throws if SQS rejects any message. */
export async function sendGrouped(queueEnv: string, messages: readonly GroupedMessage[]): Promise<void> {
  for (const chunk of toChunks(messages, 10)) {
    const { Failed = [] } = await sqs().send(
      new SendMessageBatchCommand({
        QueueUrl: requireEnv(queueEnv),
        Entries: chunk.map(({ id, group, body }, index) => ({
          Id: String(index),
          MessageBody: JSON.stringify(body),
          MessageGroupId: group,
          MessageDeduplicationId: id,
        })),
      }),
    );
    if (Failed.length > 0) throw new Error(`SQS rejected ${Failed.length} messages: ${Failed[0]?.Message}`);
  }
}

/** The group of a tenant, whose name may be longer than the 128 characters of a group (D155). */
export const messageGroup = (tenant: string) => createHash('sha256').update(tenant).digest('hex');

interface SendOptions {
  delaySeconds?: number;
  /** Of a standard queue: SQS shares the consumers fairly between groups. */
  group?: string;
}

export async function sendMessage(
  queueEnv: string,
  body: unknown,
  { delaySeconds = 0, group }: SendOptions = {},
): Promise<void> {
  const MessageBody = JSON.stringify(body);
  await sqs().send(
    new SendMessageCommand({
      QueueUrl: requireEnv(queueEnv),
      MessageBody,
      DelaySeconds: delaySeconds,
      ...(group && { MessageGroupId: group }),
    }),
  );
}

/** Sets when received messages are delivered again. At most ten. */
export async function setVisibility(
  queueEnv: string,
  messages: readonly { receiptHandle: string; seconds: number }[],
): Promise<void> {
  await sqs().send(
    new ChangeMessageVisibilityBatchCommand({
      QueueUrl: requireEnv(queueEnv),
      Entries: messages.map(({ receiptHandle, seconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      })),
    }),
  );
}

/** Deletes received messages. */
export async function deleteMessages(queueEnv: string, receiptHandles: readonly string[]): Promise<void> {
  for (const chunk of toChunks(receiptHandles, 10)) {
    await sqs().send(
      new DeleteMessageBatchCommand({
        QueueUrl: requireEnv(queueEnv),
        Entries: chunk.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle })),
      }),
    );
  }
}
