import type { SQSEvent } from 'aws-lambda';
import { WakeMessage, wake } from '../../shared/execution/batches/wakes.ts';
import { messagesOf } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = requirementsOf('table:read', 'queue:runs', 'queue:wakes');

/** Resumes suspended runs at their wake-up time. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(WakeMessage, event)) {
    await wake(productionRuntime().scopeOf(message.run.tenant), message);
  }
}
