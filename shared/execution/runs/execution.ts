import * as z from 'zod';
import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import type { Write } from '../../platform/data/writes.ts';

/**
 * A run started by a dispatch, from its first checkpoint to its end. The sweeper ends it when its lease has expired,
 * because its process has crashed. (A record's run in a batch needs no lease: its message is redelivered.)
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

/** The sweep that finds these items. */
export const executionSweep = 'EXECUTION';

export const executionEntity = defineEntity({
  type: 'execution',
  schema: Execution,
  key: ({ id }: { id: string }) => ({ PK: tenantPartition(`EXECUTION#${id}`), SK: 'EXECUTION' }),
  index: ({ id, leaseUntil }) => sweepKeys(executionSweep, id, leaseUntil),
});

/** Commit it in the transaction that ends the run or hands it over to a batch. */
export const closeExecution = ({ writes }: TenantTable, id: string): Write =>
  writes.remove(executionEntity, { id });
