import type { SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { FireMessage } from '../../shared/execution/schedules/fire-message.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';

export const requirements = combineRequirements();

/**
 * Consumes the dead-letter queue of schedules, and of messages that EventBridge Scheduler could not send. Repeats nothing:
 * the sweep fires every schedule that is overdue.
 */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(FireMessage, event)) {
    log.error('A message about a schedule arrived in the dead-letter queue', { ...message });
  }
}

export const handler = toWorker('report-schedule', handle);
