import * as z from 'zod';
import type { Scope } from '../runtime.ts';
import { defineEntity } from './entity.ts';
import type { TenantTable } from './table.ts';
import type { Write } from './writes.ts';

const partition = (tenant: string) => `T#${tenant}#DELETED`;
const kept = 7 * 86_400;

/** Says that a flow or a record is gone while what hung on it is still being removed: reads leave that out. */
export const tombstoneEntity = defineEntity({
  type: 'tombstone',
  schema: z.object({ id: z.string(), ttl: z.int() }),
  key: (tenant, { id }: { id: string }) => ({ PK: partition(tenant), SK: id }),
});

/** Belongs into the transaction that deletes the flow or the record itself. */
export const tombstoneOf = ({ table, now }: Scope, id: string): Write =>
  table.writes.put(tombstoneEntity, { id, ttl: Math.floor(now().getTime() / 1000) + kept });

/** The ids of flows (`flow`) or records (`record`) that were deleted lately. */
export async function deletedIds(
  table: TenantTable,
  prefix: 'flow' | 'record',
): Promise<ReadonlySet<string>> {
  const { items } = await table.query({
    partition: partition(table.tenant),
    from: `${prefix}_`,
    to: `${prefix}_~`,
  });
  return new Set(items.map(({ SK }) => SK as string));
}
