import { setTimeout as sleep } from 'node:timers/promises';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';

/** Does what its messages say, and reports the number of its process for those that ask for it. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  for (const { body } of Records) {
    if (body === 'throw') throw new Error('thrown');
    if (body === 'die') process.exit(1);
    if (body === 'wait') await sleep(300);
  }
  const asking = Records.filter(({ body }) => body === 'which');
  return { batchItemFailures: asking.map(() => ({ itemIdentifier: String(process.pid) })) };
}
