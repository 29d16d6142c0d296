import type { SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { CleanupMessage } from '../../shared/platform/cleanup/cleanup.ts';
import { postponeCleanup } from '../../shared/platform/cleanup/tombstone.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements('table:write');

/** Consumes the dead-letter queue of cleanups, also those that died half-way: the sweep requests them again later. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(CleanupMessage, event)) {
    log.error('A cleanup arrived in the dead-letter queue', { ...message });
    const scope = productionRuntime().scopeOf(message.tenant);
    for (const id of message.ids) await postponeCleanup(scope, id);
  }
}

export const handler = toWorker('retry-cleanup', handle);
