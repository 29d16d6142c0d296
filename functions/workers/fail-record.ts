import type { SQSEvent } from 'aws-lambda';
import { messagesOf } from '../../shared/aws/messages.ts';
import { giveUpOn } from '../../shared/batches/given-up.ts';
import { loadJobs } from '../../shared/batches/record-jobs.ts';
import { RunMessage } from '../../shared/batches/run-message.ts';
import { log } from '../../shared/log.ts';
import { productionRuntime } from '../../shared/runtime.ts';

/** Takes the records that were given up on: tried anew a few times, then failed with a reason, so that their batch ends. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(RunMessage, event)) {
    const scope = productionRuntime().scopeOf(message.tenant);
    log.error('A record was given up on', { ...message });
    for (const job of await loadJobs(scope, [message])) await giveUpOn(scope, job);
  }
}
