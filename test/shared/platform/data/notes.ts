import * as z from 'zod';
import { newId } from '../../../../shared/core/ids.ts';
import { defineEntity } from '../../../../shared/platform/data/entity.ts';
import { tenantPartition } from '../../../../shared/platform/data/keys.ts';
import { countingRuntime } from '../../../support/stack/stack.ts';

/** Something to store: with names that DynamoDB reserves, a summary and both indexes. */
export const noteEntity = defineEntity({
  type: 'note',
  schema: z.object({
    id: z.string(),
    name: z.string(),
    status: z.string().optional(),
    size: z.int().optional(),
    list: z.array(z.unknown()).optional(),
  }),
  key: ({ id }: { id: string }) => ({ PK: tenantPartition('NOTES'), SK: id }),
  index: ({ id, name }) => ({
    PK1: tenantPartition('BY_ID'),
    SK1: id,
    PK2: tenantPartition('BY_NAME'),
    // A key has 1 KB at most.
    SK2: name.slice(0, 100),
  }),
  summary: ['name'],
});

export const newTenantName = () => `user:${newId('key')}`;

/** A tenant of its own, on the stack's table, with what is asked of the table. */
export function notes() {
  const tenant = newTenantName();
  const { scopeOf, consumed, reset } = countingRuntime();
  const { table } = scopeOf(tenant);
  const all = { partition: tenantPartition('NOTES') };
  const commands = async (work: () => Promise<unknown>) => {
    reset();
    await work();
    return consumed.commands;
  };
  const units = async (work: () => Promise<unknown>) => {
    reset();
    await work();
    return consumed.capacityUnits;
  };
  return { tenant, table, all, commands, units };
}
