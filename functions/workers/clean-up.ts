import type { SQSEvent } from 'aws-lambda';
import { addLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { cleaner } from '../../shared/execution/cleaner.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { CleanupMessage } from '../../shared/platform/cleanup/cleanup.ts';
import { confirmCleaned, filterDeleted, postponeCleanup } from '../../shared/platform/cleanup/tombstone.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(cleaner, 'table:write', 'table:delete');

/**
 * Removes the items and payloads of deleted flows, records and results. Idempotent: items already removed are skipped.
 */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(CleanupMessage, event)) {
    const { tenant, ids, isLast } = message;
    addLogFields({ tenant });
    const scope = productionRuntime().scopeOf(tenant);
    const clean = cleaner(scope);
    const failed: string[] = [];
    for (const id of await filterDeleted(scope.table, ids)) {
      try {
        await clean(id);
        if (isLast) await confirmCleaned(scope, id);
      } catch (error) {
        log.error('A cleanup failed and will be retried', { error, id });
        failed.push(id);
        // Otherwise each sweep would add a message that fails as well.
        await postponeCleanup(scope, id).catch(() => {});
      }
    }
    if (failed.length > 0) throw new Error(`The cleanup of ${failed.length} of ${ids.length} ids failed`);
  }
}

export const handler = toWorker('clean-up', handle);
