import * as z from 'zod';
import { toChunks } from '../../core/chunks.ts';
import { log } from '../../core/log.ts';
import { messageGroup, sendMessage } from '../aws/queues.ts';
import { using } from '../aws/uses.ts';
import type { Scope } from '../data/scope.ts';
import type { TenantTable } from '../data/table.ts';
import { listUnfinishedCleanups } from './tombstone.ts';

/** Requests the removal of the data of deleted flows, records or results. */
export const CleanupMessage = z.object({
  tenant: z.string(),
  ids: z.array(z.string()),
  /** Whether every run that started before the deletion has ended, so that no further pass is needed. */
  isLast: z.boolean(),
});
export type CleanupMessage = z.infer<typeof CleanupMessage>;

const idsPerMessage = 100;

/** The longest time that an invocation may still write after the deletion, with a margin. */
const settledAfterMs = 16 * 60_000;

/** Call after deleting the items, each with a tombstone, which the sweep finds if the message is lost. */
export const cleanupQueue = /* @__PURE__ */ using(['queue:cleanup'], ({ table }: Scope) => {
  const enqueue = async (ids: readonly string[]): Promise<void> => {
    try {
      await sendCleanup(table.tenant, ids, false);
    } catch (error) {
      log.warn('Could not enqueue a cleanup; the next sweep runs it', { error, ids: ids.slice(0, 10) });
    }
  };
  return { enqueue };
});

async function sendCleanup(tenant: string, ids: readonly string[], isLast: boolean): Promise<void> {
  for (const some of toChunks(ids, idsPerMessage)) {
    const message: CleanupMessage = { tenant, ids: some, isLast };
    await sendMessage('CLEANUP_QUEUE_URL', message, { group: messageGroup(tenant) });
  }
}

/** Enqueues the cleanup of deletions whose cleanup is overdue. */
export async function sweepDeleted(table: TenantTable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - settledAfterMs);
  for await (const page of listUnfinishedCleanups(table, before)) {
    for (const [tenant, deleted] of Map.groupBy(page, (each) => each.tenant)) {
      await sendCleanup(
        tenant,
        deleted.map(({ id }) => id),
        true,
      );
    }
  }
}
