import type { Scope } from '../runtime.ts';
import { recordsPartition, recordTypePartition } from './record.ts';

/** Records may have 400 KB each, and those of one page are in memory together. */
export const idsPerPage = 200;

/** The ids of all records, or of those of a type, newest first. */
export async function* idPages(
  { table }: Scope,
  type?: string,
  pageSize = idsPerPage,
): AsyncGenerator<string[], void> {
  const { tenant } = table;
  const list =
    type === undefined
      ? { partition: recordsPartition(tenant), index: 1 as const }
      : { partition: recordTypePartition(tenant, type), index: 2 as const };
  for (let startKey: Record<string, unknown> | undefined; ; ) {
    const page = await table.query({
      ...{ ...list, newestFirst: true, limit: pageSize },
      ...(startKey && { startKey }),
    });
    yield page.items.map((item) => item[`SK${list.index}`] as string);
    startKey = page.nextKey;
    if (!startKey) return;
  }
}
