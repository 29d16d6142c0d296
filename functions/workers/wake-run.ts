import type { SQSEvent } from 'aws-lambda';
import { WakeMessage, wake } from '../../shared/batches/wakes.ts';
import { productionRuntime } from '../../shared/runtime.ts';

/** Has parked runs go on, when their time has come. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { body } of event.Records) {
    const message = WakeMessage.parse(JSON.parse(body));
    await wake(productionRuntime().scopeOf(message.run.tenant), message);
  }
}
