import * as z from 'zod';
import { chunksOf } from '../../core/chunks.ts';
import { log } from '../../core/log.ts';
import { send } from '../aws/queues.ts';
import { using } from '../aws/uses.ts';
import type { Scope } from '../data/scope.ts';
import type { TenantTable } from '../data/table.ts';
import { unfinishedCleanups } from './tombstone.ts';

/** Asks a worker to remove what hung on deleted flows, records or results. */
export const CleanupMessage = z.object({
  tenant: z.string(),
  ids: z.array(z.string()),
  /** Whether nothing that began before the deletion can still be at work, so that no further time is needed. */
  isLast: z.boolean(),
});
export type CleanupMessage = z.infer<typeof CleanupMessage>;

const idsPerMessage = 100;

/** How long an invocation may still write to what it began before the deletion, and a little more. */
const settledAfterMs = 16 * 60_000;

/**
 * Call after the items themselves are gone, each with a tombstone. What is sent here is only so that things are
 * removed soon: the tombstones are found and cleaned up after in any case, once nothing can be written any more.
 */
export const cleanupQueue = /* @__PURE__ */ using(['queue:cleanup'], ({ table }: Scope) => {
  const deleted = async (ids: readonly string[]): Promise<void> => {
    try {
      await ask(table.tenant, ids, false);
    } catch (error) {
      log.warn('A clean-up is left to the next sweep', { error, ids: ids.slice(0, 10) });
    }
  };
  return { deleted };
});

async function ask(tenant: string, ids: readonly string[], isLast: boolean): Promise<void> {
  for (const some of chunksOf(ids, idsPerMessage)) {
    await send('CLEANUP_QUEUE_URL', { tenant, ids: some, isLast } satisfies CleanupMessage);
  }
}

/** Has everything cleaned up that was deleted a while ago and is not known to be done. */
export async function sweepDeleted(table: TenantTable, now: Date): Promise<void> {
  const before = new Date(now.getTime() - settledAfterMs);
  for await (const page of unfinishedCleanups(table, before)) {
    for (const [tenant, deleted] of Map.groupBy(page, (each) => each.tenant)) {
      await ask(
        tenant,
        deleted.map(({ id }) => id),
        true,
      );
    }
  }
}
