import { readTenant, type StoredKey, sharedPartition } from '../data/keys.ts';
import type { TenantTable } from '../data/table.ts';

/** Shared by all tenants, so that few queries suffice. Sharded: a partition key takes 1,000 writes/s. */
const shards = 4;
const partition = (kind: string, shard: number) => sharedPartition(`SWEEP#${kind}#${shard}`);

/** The index keys of an item that the sweep has to check. @param at When the sweep checks it. */
export const sweepKeys = (kind: string, id: string, at: string) => ({
  PK2: partition(kind, id.charCodeAt(id.length - 1) % shards),
  SK2: at,
});

export const removeFromSweepIndex = { removeFromIndex: 2 } as const;

export type DueItem = StoredKey & { tenant: string };

/** Yields the due items of all tenants, a page at a time. Without a time, all items. */
export async function* listDue(
  table: TenantTable,
  kind: string,
  due: Date | 'all',
): AsyncGenerator<DueItem[]> {
  for (let shard = 0; shard < shards; shard++) {
    const range = {
      partition: partition(kind, shard),
      index: 2,
      ...(due !== 'all' && { to: due.toISOString() }),
    } as const;
    for await (const items of table.pages({ ...range, perQuery: 500 })) {
      yield items.map((item) => ({ tenant: readTenant(item), PK: item.PK, SK: item.SK }));
    }
  }
}

/** The first of the due items of all tenants, for a sweep that leaves the others to the next one. */
export async function findFirstDue(
  table: TenantTable,
  kind: string,
  due: Date,
  most: number,
): Promise<DueItem[]> {
  const items: DueItem[] = [];
  for await (const page of listDue(table, kind, due)) {
    items.push(...page);
    if (items.length >= most) break;
  }
  return items.slice(0, most);
}
