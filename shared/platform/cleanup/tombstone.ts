import * as z from 'zod';
import { idKind } from '../../core/ids.ts';
import { unixSeconds } from '../../core/unix-seconds.ts';
import { ifRefused } from '../data/condition-failed.ts';
import { defineEntity } from '../data/entity.ts';
import { sharedPartition, tenantOfItem, tenantPartition } from '../data/keys.ts';
import type { Scope } from '../data/scope.ts';
import type { TenantTable } from '../data/table.ts';
import { exists, type Write } from '../data/writes.ts';

const deletedPartition = tenantPartition('DELETED');

/** A partition key takes 1,000 writes a second. Those of all tenants are here, so that one look finds what is left. */
const cleanupShards = 4;
const cleanupsPartition = (shard: number) => sharedPartition(`CLEANUPS#${shard}`);
const shardOf = (id: string) => id.charCodeAt(id.length - 1) % cleanupShards;

/**
 * Says that a flow, a record or a result is gone while what hung on it is still being removed: reads leave that out.
 * It stands in an index until all is removed, so that no clean-up is ever forgotten.
 */
export const tombstoneEntity = defineEntity({
  type: 'tombstone',
  schema: z.object({
    id: z.string(),
    deletedAt: z.string(),
    /** Unix seconds; once what hung on it is removed. */
    ttl: z.int().optional(),
  }),
  key: ({ id }: { id: string }) => ({ PK: deletedPartition, SK: id }),
  index: ({ id, deletedAt }) => ({ PK1: cleanupsPartition(shardOf(id)), SK1: deletedAt }),
});

/** Belongs into the transaction that deletes the flow, the record or the result itself. */
export const tombstoneOf = ({ table, now }: Scope, id: string): Write =>
  table.writes.put(tombstoneEntity, { id, deletedAt: now().toISOString() });

/** The ids of flows (`flow`) or records (`record`) that were deleted lately. */
export async function deletedIds(
  table: TenantTable,
  prefix: 'flow' | 'record',
): Promise<ReadonlySet<string>> {
  const items = await table.queryAll({
    partition: deletedPartition,
    from: `${prefix}_`,
    to: `${prefix}_~`,
  });
  return new Set(items.map(({ SK }) => SK));
}

/** Longer than a queue keeps a message: a run of a deleted flow that begins that late is still told why it fails. */
const flowsKeptSeconds = 15 * 86_400;

/** Call when nothing is left that hung on it, and nothing can be written any more. */
export async function confirmCleaned({ table, now }: Scope, id: string): Promise<void> {
  if (idKind(id) !== 'flow') return table.removeAll([tombstoneEntity.key({ id })]);
  const ttl = unixSeconds(now()) + flowsKeptSeconds;
  const changes = { set: { ttl }, removeFromIndex: 1 } as const;
  const write = table.writes.update(tombstoneEntity, { id }, changes, exists);
  await table.commit([write]).catch(ifRefused(undefined));
}

/** What was deleted before a moment and is not known to be cleaned up, of all tenants, a page at a time. */
export async function* unfinishedCleanups(
  table: TenantTable,
  before: Date,
): AsyncGenerator<{ tenant: string; id: string }[]> {
  for (let shard = 0; shard < cleanupShards; shard++) {
    const range = { partition: cleanupsPartition(shard), index: 1, to: before.toISOString() } as const;
    for await (const items of table.pages({ ...range, limit: 1_000 })) {
      yield items.map((item) => ({ tenant: tenantOfItem(item), id: item.SK }));
    }
  }
}
