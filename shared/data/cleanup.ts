import * as z from 'zod';
import { send } from '../aws/queues.ts';
import type { Scope } from '../runtime.ts';
import { tombstoneEntity, tombstoneOf } from './tombstone.ts';

/** Asks a worker to remove what hung on a deleted flow or record. */
export const CleanupMessage = z.object({
  tenant: z.string(),
  kind: z.enum(['flow', 'record']),
  id: z.string(),
});
export type CleanupMessage = z.infer<typeof CleanupMessage>;

/** Call after the item itself is gone: hides what hung on it at once, and has it removed in the background. */
export const cleanupQueue = ({ table, now }: Scope) => {
  const deleted = async (kind: CleanupMessage['kind'], id: string) => {
    await table.commit([table.writes.put(tombstoneEntity, tombstoneOf(id, now()))]);
    await send('CLEANUP_QUEUE_URL', { tenant: table.tenant, kind, id } satisfies CleanupMessage);
  };
  return {
    flowDeleted: (id: string) => deleted('flow', id),
    recordDeleted: (id: string) => deleted('record', id),
  };
};
