import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';

/** How often each message, by its queue, was relayed. */
export const relayed = new Map<string, number>();

/** A Lambda that sends each message, the URL of its queue, to that queue again, without end. */
export async function handler({ Records }: SQSEvent) {
  const client = new SQSClient({});
  for (const { body: QueueUrl } of Records) {
    relayed.set(QueueUrl, (relayed.get(QueueUrl) ?? 0) + 1);
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: QueueUrl }));
  }
}
