import type { SQSEvent } from 'aws-lambda';
import { fireTimer, TimerMessage } from '../../shared/execution/batches/timers.ts';
import { messagesOf } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = requirementsOf('table:read', 'queue:runs', 'queue:wakes');

/** Resumes suspended runs when their timer fires. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(TimerMessage, event)) {
    await fireTimer(productionRuntime().scopeOf(message.run.tenant), message);
  }
}
