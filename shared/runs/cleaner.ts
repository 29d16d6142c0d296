import type { Key } from '../data/entity.ts';
import { payloadStore, Stowed } from '../data/payloads.ts';
import type { QueryOptions } from '../data/table.ts';
import { flowKeysRange } from '../flows/flow.ts';
import type { Scope } from '../runtime.ts';
import { flowResultsPartition, flowShards, recordResultsRange } from './checkpoint.ts';

/** Removes the items that hung on a flow or a record, and their payloads, a page at a time. */
export const cleaner = (scope: Scope) => {
  const { table } = scope;
  const payloads = payloadStore(scope);

  async function removeRange(range: QueryOptions): Promise<void> {
    for (;;) {
      const { items, nextKey } = await table.query({ ...range, limit: 200 });
      await payloads.remove(items.flatMap(pointersOf));
      await table.removeAll(items as unknown as Key[]);
      if (!nextKey) return;
    }
  }

  return {
    async flow(id: string): Promise<void> {
      for (let shard = 0; shard < flowShards; shard++) {
        await removeRange({ partition: flowResultsPartition(table.tenant, id, shard), index: 1 });
      }
      await removeRange(flowKeysRange(table.tenant, id));
    },

    record: (id: string) => removeRange(recordResultsRange(table.tenant, id)),
  };
};

function pointersOf({ steps, summary }: Record<string, unknown>): string[] {
  const { pointers = [] } = (summary ?? {}) as { pointers?: string[] };
  const stowed = Stowed.safeParse(steps);
  return stowed.success && 'pointer' in stowed.data ? [...pointers, stowed.data.pointer] : pointers;
}
