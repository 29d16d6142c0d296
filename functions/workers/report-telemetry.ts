import type { SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { ExportMessage } from '../../shared/domain/telemetry/export-queue.ts';
import { messagesOf } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';

export const requirements = requirementsOf();

/** Consumes the dead-letter queue of exports. Repeats nothing: the sweep sends every export that is due again. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(ExportMessage, event)) {
    log.error('A message about an export arrived in the dead-letter queue', { ...message });
  }
}

export const handler = toWorker('report-telemetry', handle);
