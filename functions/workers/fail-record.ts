import type { SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { handleDeadLetter } from '../../shared/execution/batches/dead-letter-records.ts';
import { loadJobs } from '../../shared/execution/batches/record-jobs.ts';
import { RunMessage } from '../../shared/execution/batches/run-message.ts';
import { messagesOf } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = requirementsOf('table:write', 'payloads', 'queue:wakes');

/**
 * Consumes the dead-letter queue: retries each record a few times after a delay, then fails it, so that its batch
 * completes.
 */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(RunMessage, event)) {
    const scope = productionRuntime().scopeOf(message.tenant);
    log.error('A record arrived in the dead-letter queue', { ...message });
    for (const job of await loadJobs(scope, [message])) await handleDeadLetter(scope, job);
  }
}
