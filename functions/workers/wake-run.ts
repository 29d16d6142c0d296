import type { SQSEvent } from 'aws-lambda';
import { messagesOf } from '../../shared/aws/messages.ts';
import { WakeMessage, wake } from '../../shared/batches/wakes.ts';
import { productionRuntime } from '../../shared/runtime.ts';

/** Has parked runs go on, when their time has come. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(WakeMessage, event)) {
    await wake(productionRuntime().scopeOf(message.run.tenant), message);
  }
}
