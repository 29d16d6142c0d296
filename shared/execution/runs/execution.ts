import * as z from 'zod';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';

/**
 * A run that was started alone, from its first checkpoint until its end is written. One whose lease has passed lost its
 * process: the sweeper ends it. (A record's run in a batch needs none: its message comes again.)
 */
export const Execution = z.object({
  id: z.string(),
  kind: z.enum(['dispatch']),
  flowId: z.string(),
  flowName: z.string(),
  recordId: z.string().nullable(),
  startedAt: z.string(),
  leaseUntil: z.string(),
});
export type Execution = z.infer<typeof Execution>;

/** What the sweeper knows these items by. */
export const executionSweep = 'EXECUTION';

export const executionEntity = defineEntity({
  type: 'execution',
  schema: Execution,
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`EXECUTION#${id}`), SK: 'EXECUTION' }),
  index: ({ id, leaseUntil }) => sweepKeys(executionSweep, id, leaseUntil),
});

/** Belongs into the transaction after which nothing has to look after the run any more. */
export const closeExecution = ({ writes }: TenantTable, id: string): Write =>
  writes.remove(executionEntity, { id });
