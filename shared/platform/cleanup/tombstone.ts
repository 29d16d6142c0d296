/**
 * Remembers what has been deleted until all of its data is gone.
 *
 * The transaction that deletes an item writes its tombstone, and then `cleanup.ts` enqueues the removal of what belongs to it.
 * A worker removes that data, asks `filterDeleted` first whether the deletion still holds, and confirms at the end, or
 * postpones after a failure. Whatever is lost on the way (the message, the worker) is found again by the sweep over the index
 * of unconfirmed tombstones. Tombstones of flows outlive their cleanup, so that late runs fail with the right reason.
 */

import * as z from 'zod';
import { getIdKind } from '../../core/ids.ts';
import { unixSeconds } from '../../core/time.ts';
import { onConditionFailed } from '../data/condition-failed.ts';
import { defineEntity } from '../data/entity.ts';
import { readTenant, sharedPartition, tenantPartition } from '../data/keys.ts';
import type { Scope } from '../data/scope.ts';
import type { TenantTable } from '../data/table.ts';
import { exists, type Write } from '../data/writes.ts';

const deletedPartition = tenantPartition('DELETED');

/** Shared by all tenants, so that few queries suffice. Sharded: a partition key takes 1,000 writes/s. */
const cleanupShards = 4;
const cleanupsPartition = (shard: number) => sharedPartition(`CLEANUPS#${shard}`);
const pickShard = (id: string) => id.charCodeAt(id.length - 1) % cleanupShards;

/** Reads skip the data of what is deleted. The index has the tombstone until the removal is complete. */
export const tombstoneEntity = defineEntity({
  type: 'tombstone',
  schema: z.object({
    id: z.string(),
    deletedAt: z.string(),
    failures: z.int().default(0),
    /** Unix seconds. Set once the removal is complete. */
    ttl: z.int().optional(),
  }),
  key: ({ id }: { id: string }) => ({ PK: deletedPartition, SK: id }),
  index: ({ id, deletedAt }) => ({ PK1: cleanupsPartition(pickShard(id)), SK1: deletedAt }),
});

/** Commit it in the transaction that deletes the item. */
export const tombstoneWrite = ({ table, now }: Scope, id: string): Write =>
  table.writes.put(tombstoneEntity, { id, deletedAt: now().toISOString() });

/** A message may outlive the tombstone: a restored table has the data again, and no tombstone. */
export async function filterDeleted(table: TenantTable, ids: readonly string[]): Promise<string[]> {
  const found = await table.getMany(
    ids.map((id) => tombstoneEntity.key({ id })),
    { consistent: true },
  );
  return ids.filter((_, index) => found[index]);
}

/** The ids of recently deleted flows (`flow`) or records (`record`). */
export async function listDeletedIds(
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

const retryMsMin = 15 * 60_000;
const retryMsMax = 86_400_000;

/** Call when a cleanup failed. The sweep requests it again later, after each failure twice as late, up to a day. */
export async function postponeCleanup({ table, now }: Scope, id: string): Promise<void> {
  const tombstone = await table.get(tombstoneEntity, { id }, { consistent: true });
  // Removed, or confirmed meanwhile.
  if (!tombstone || tombstone.ttl) return;
  const pauseMs = Math.min(retryMsMin * 2 ** tombstone.failures, retryMsMax);
  const index = {
    PK1: cleanupsPartition(pickShard(id)),
    SK1: new Date(now().getTime() + pauseMs).toISOString(),
  };
  const write = table.writes.update(tombstoneEntity, { id }, { add: { failures: 1 }, index }, exists);
  await table.commit([write]).catch(onConditionFailed(undefined));
}

/** Longer than the retention of a queue: a late run of a deleted flow still fails with the right reason. */
const flowsKeptSeconds = 15 * 86_400;

/** Call when all data is removed and no writer is left. */
export async function confirmCleaned({ table, now }: Scope, id: string): Promise<void> {
  if (getIdKind(id) !== 'flow') return table.removeAll([tombstoneEntity.key({ id })]);
  const ttl = unixSeconds(now()) + flowsKeptSeconds;
  const changes = { set: { ttl }, removeFromIndex: 1 } as const;
  const write = table.writes.update(tombstoneEntity, { id }, changes, exists);
  await table.commit([write]).catch(onConditionFailed(undefined));
}

/** Yields deletions before a time whose cleanup is not confirmed, of all tenants, a page at a time. */
export async function* listUnfinishedCleanups(
  table: TenantTable,
  before: Date,
): AsyncGenerator<{ tenant: string; id: string }[]> {
  for (let shard = 0; shard < cleanupShards; shard++) {
    const range = { partition: cleanupsPartition(shard), index: 1, to: before.toISOString() } as const;
    for await (const items of table.pages({ ...range, perQuery: 1_000 })) {
      yield items.map((item) => ({ tenant: readTenant(item), id: item.SK }));
    }
  }
}
