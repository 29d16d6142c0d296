import { type StoredKey, sharedPartition, tenantOfItem } from '../data/keys.ts';
import type { TenantTable } from '../data/table.ts';

/** A partition key takes 1,000 writes a second; items of all tenants stand here, so that one look finds what is left. */
const shards = 4;
const partition = (kind: string, shard: number) => sharedPartition(`SWEEP#${kind}#${shard}`);

/** Where an item stands until it needs no more looking after. @param at When the next sweep should look at it. */
export const sweepKeys = (kind: string, id: string, at: string) => ({
  PK2: partition(kind, id.charCodeAt(id.length - 1) % shards),
  SK2: at,
});

/** The change of an item that needs no more looking after. */
export const removeFromSweepIndex = { removeFromIndex: 2 } as const;

/** What is due for a look at a moment, or whatever the clocks say, of all tenants, a page at a time. */
export async function* dueForSweep(
  table: TenantTable,
  kind: string,
  due: Date | 'all',
): AsyncGenerator<(StoredKey & { tenant: string })[]> {
  for (let shard = 0; shard < shards; shard++) {
    const range = {
      partition: partition(kind, shard),
      index: 2,
      ...(due !== 'all' && { to: due.toISOString() }),
    } as const;
    for await (const items of table.pages({ ...range, limit: 500 })) {
      yield items.map((item) => ({ tenant: tenantOfItem(item), PK: item.PK, SK: item.SK }));
    }
  }
}
