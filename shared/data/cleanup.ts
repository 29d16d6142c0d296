import * as z from 'zod';
import { send } from '../aws/queues.ts';
import type { Scope } from '../runtime.ts';

/** Asks a worker to remove what hung on a deleted flow or record. */
export const CleanupMessage = z.object({
  tenant: z.string(),
  kind: z.enum(['flow', 'record']),
  id: z.string(),
});
export type CleanupMessage = z.infer<typeof CleanupMessage>;

/** How long an invocation may still write to what it began before the deletion. */
const secondTimeSeconds = 900;

/** Call after the item itself is gone. Cleans twice: runs that were under way may have written after the first time. */
export const cleanupQueue = ({ table }: Scope) => {
  const clean = async (kind: CleanupMessage['kind'], id: string) => {
    const message: CleanupMessage = { tenant: table.tenant, kind, id };
    await Promise.all([
      send('CLEANUP_QUEUE_URL', message),
      send('CLEANUP_QUEUE_URL', message, { delaySeconds: secondTimeSeconds }),
    ]);
  };
  return {
    flowDeleted: (id: string) => clean('flow', id),
    recordDeleted: (id: string) => clean('record', id),
  };
};
