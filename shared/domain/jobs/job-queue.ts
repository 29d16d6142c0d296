/**
 * The queue of what moves data in and out: each message asks for a part of a job. Parts can be delivered twice, and are done
 * once: what they do is keyed by the job and the part.
 *
 * An import has one part that reads its file, one for each chunk of rows, and one that ends it; an export has one, which hands
 * itself over while it is not done. `functions/workers/run-job.ts` receives them; what is lost is sent again by the sweep
 * (`jobSweep`), which finds jobs that have done nothing for a while.
 */

import * as z from 'zod';
import { messageGroup, sendMessage } from '../../platform/aws/queues.ts';
import { using } from '../../platform/aws/uses.ts';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import type { Scope } from '../../platform/data/scope.ts';

export const JobMessage = z.object({
  tenant: z.string(),
  /** Of the import or the export. */
  id: z.string(),
  part: z.enum(['read', 'chunk', 'end', 'write']),
  /** The number of the chunk. */
  chunk: z.int().optional(),
  /** How often it found no place of the tenant. */
  waits: z.int().optional(),
});
export type JobMessage = z.infer<typeof JobMessage>;
export type JobPart = Omit<JobMessage, 'tenant' | 'waits'>;

export const jobQueue = /* @__PURE__ */ using(
  ['queue:jobs'],
  ({ table: { tenant } }: Pick<Scope, 'table'>) => ({
    send: (part: JobPart, { delaySeconds = 0, waits }: { delaySeconds?: number; waits?: number } = {}) =>
      sendMessage(
        'JOBS_QUEUE_URL',
        { tenant, ...part, ...(waits && { waits }) },
        { delaySeconds, group: messageGroup(tenant) },
      ),
  }),
);

/** The sweep of jobs. */
export const jobSweep = 'JOB';
/** How long a job may do nothing before the sweep sends its messages again. */
const quietMs = 20 * 60_000;

export const toJobSweep = (id: string, now: Date) =>
  sweepKeys(jobSweep, id, new Date(now.getTime() + quietMs).toISOString());
