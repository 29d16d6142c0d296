import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { log } from '../../shared/core/log.ts';
import { DeliveryMessage, ExportMessage } from '../../shared/domain/deliveries/outbox-messages.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';

export const requirements = combineRequirements();

const Message = z.union([DeliveryMessage, ExportMessage]);

/** Consumes the dead-letter queues of deliveries and exports. Repeats nothing: the sweep sends all that are due again. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(Message, event)) {
    const what = 'surfaceId' in message ? 'a delivery' : 'an export of a run';
    log.error(`A message about ${what} arrived in the dead-letter queue`, { ...message });
  }
}

export const handler = toWorker('report-delivery', handle);
