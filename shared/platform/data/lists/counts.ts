import * as z from 'zod';
import type { RowCount, TenantTable } from '../table.ts';
import { collectRows, type ListSource } from './listing.ts';

export const countedMax = 5_000;
/** So that a count beside a page takes as many round trips as the page. One reads up to 1 MB of index entries. */
const countQueriesMax = 2;

export const CountIsMinimum = z.boolean().optional().meta({
  description: 'Whether the list may be longer than the count, which ended at its bound',
});

/** Counts the newest rows of a list; what a post-filter has to read, as far as a page does. */
export async function countRows(table: TenantTable, source: ListSource): Promise<RowCount> {
  if (!source.postFilter) {
    const bounds = { items: countedMax, queries: countQueriesMax };
    return table.countWithin({ ...source, newestFirst: true }, bounds);
  }
  const { found, stoppedAt } = await collectRows(table, source, { wanted: Number.POSITIVE_INFINITY });
  return { count: found.length, isMinimum: stoppedAt !== undefined };
}

/** The optional members of a pagination by cursors. */
export const countMembers = (
  { count, isMinimum }: RowCount,
  { limit, offset = 0 }: { limit: number; offset?: number },
) => ({
  totalCount: count,
  totalPages: Math.ceil(count / limit),
  currentPage: Math.floor(offset / limit) + 1,
  countIsMinimum: isMinimum,
});
