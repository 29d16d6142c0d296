import type { SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { DeliveryMessage } from '../../shared/domain/deliveries/delivery-queue.ts';
import { messagesOf } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';

export const requirements = requirementsOf();

/** Consumes the dead-letter queue of deliveries. Repeats nothing: the sweep sends every delivery that is due again. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(DeliveryMessage, event)) {
    log.error('A message about a delivery arrived in the dead-letter queue', { ...message });
  }
}

export const handler = toWorker('report-delivery', handle);
