import type { LoadApi } from './batches.ts';
import type { LoadFixtures } from './scenarios.ts';

const idsPerRequest = 100;

/** Deletes what the load created. @returns the ids that remain. */
export async function cleanUp({ call }: LoadApi, { flows, records }: LoadFixtures): Promise<string[]> {
  const remaining: string[] = [];
  for (let start = 0; start < records.length; start += idsPerRequest) {
    const ids = records.slice(start, start + idsPerRequest);
    const left = await call('records.bulk-delete', { body: { ids } }).then(
      ({ deletedIds, notFoundIds }) => {
        const gone = new Set([...deletedIds, ...notFoundIds]);
        return ids.filter((id) => !gone.has(id));
      },
      () => ids,
    );
    remaining.push(...left);
  }
  for (const id of flows) {
    await call('flows.delete', { params: { id } }).catch(() => remaining.push(id));
  }
  return remaining;
}
