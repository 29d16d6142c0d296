import { SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { chunksOf } from '../../core/chunks.ts';
import { requireEnv } from '../../core/environment.ts';
import { loadOnce } from '../../core/load-once.ts';
import { withoutSdkLogger } from './without-sdk-logger.ts';

/** A message of a FIFO queue. Two with the same `id` within five minutes are delivered once. */
export interface GroupedMessage {
  id: string;
  group: string;
  body: unknown;
}

const sqs = loadOnce(() => withoutSdkLogger(new SQSClient({})));

/** Sends in order, ten at a time. @throws when any message was not taken. */
export async function sendGrouped(queueEnv: string, messages: readonly GroupedMessage[]): Promise<void> {
  for (const chunk of chunksOf(messages, 10)) {
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
    if (Failed.length > 0) throw new Error(`SQS refused ${Failed.length} messages: ${Failed[0]?.Message}`);
  }
}

export async function send(queueEnv: string, body: unknown, { delaySeconds = 0 } = {}): Promise<void> {
  const MessageBody = JSON.stringify(body);
  await sqs().send(
    new SendMessageCommand({ QueueUrl: requireEnv(queueEnv), MessageBody, DelaySeconds: delaySeconds }),
  );
}
