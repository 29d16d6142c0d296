import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { vi } from 'vitest';
import { fifoAttributes } from '../../../infra/local/queues/queues.ts';
import { accountId } from '../../../infra/local/runtime/account.ts';
import { stack } from '../stack/stack.ts';

/** Has what is sent to a queue go to one of the test's own, from which nobody takes it; until `vi.unstubAllEnvs()`. */
export async function queueOfItsOwn(env: string, { fifo = false } = {}) {
  const client = new SQSClient({});
  const name = `q-${randomUUID()}${fifo ? '.fifo' : ''}`;
  await client.send(new CreateQueueCommand({ QueueName: name, ...(fifo && { Attributes: fifoAttributes }) }));
  const QueueUrl = `${stack().aws.sqs}/${accountId}/${name}`;
  vi.stubEnv(env, QueueUrl);
  const counted = async (name: 'ApproximateNumberOfMessagesDelayed' | 'ApproximateNumberOfMessages') => {
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }),
    );
    return Number(Attributes?.[name]);
  };
  return {
    /** How many messages are held back in it. */
    delayed: () => counted('ApproximateNumberOfMessagesDelayed'),
    /** How many may be taken from it, without duplicates. */
    ready: () => counted('ApproximateNumberOfMessages'),
  };
}
