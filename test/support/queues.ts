import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { vi } from 'vitest';
import { accountId } from '../../infra/local/runtime/account.ts';
import { stack } from './stack.ts';

/** Has what is sent to a queue go to one of the test's own, from which nobody takes it; until `vi.unstubAllEnvs()`. */
export async function queueOfItsOwn(env: string) {
  const client = new SQSClient({});
  const name = `q-${randomUUID()}`;
  await client.send(new CreateQueueCommand({ QueueName: name }));
  const QueueUrl = `${stack().aws.sqs}/${accountId}/${name}`;
  vi.stubEnv(env, QueueUrl);
  /** How many messages are held back in it. */
  const delayed = async () => {
    const names = ['ApproximateNumberOfMessagesDelayed'] as const;
    const { Attributes } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
    );
    return Number(Attributes?.[names[0]]);
  };
  return { delayed };
}
