import { type CursorPagination, type CursorQuery, cursorPage } from '../../platform/data/pages.ts';
import { responseBytesMax } from '../../platform/http/response-size.ts';
import { firstWithin } from './limits.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import { recordPredicate, typeAsked } from './record-predicate.ts';
import { meansNothing, type RecordReads, recordIn, recordSource } from './record-source.ts';
import type { Pair } from './record-writer.ts';

export interface RecordPage {
  records: RecordItem[];
  pagination: CursorPagination;
}

export interface ListReads extends RecordReads {
  idOf: (pair: Pair) => Promise<string | undefined>;
}

/** Lists records newest first: slim index entries, then the records of those that the page shows, or has to look at. */
export function listRecords(reads: ListReads) {
  async function page(filters: RecordFilters, query: CursorQuery): Promise<RecordPage> {
    const source = { ...recordSource(reads, filters), kind: 'record' as const };
    const { rows, pagination } = await cursorPage(reads.table, source, query);
    const records = rows.every(recordIn)
      ? rows.flatMap((row) => recordIn(row) ?? [])
      : await reads.getMany(rows.map(({ id }) => id as string));
    const fitting = Math.min(
      firstWithin(records, responseBytesMax).length,
      firstWithin(records.toReversed(), responseBytesMax).length,
    );
    if (fitting === records.length) return { records, pagination };
    const shorter = await page(filters, { ...query, limit: fitting });
    return { ...shorter, pagination: { ...shorter.pagination, limit: query.limit } };
  }

  return async (filters: RecordFilters, query: CursorQuery): Promise<RecordPage> => {
    const isFirst = !query.cursor && !query.direction;
    const known = isFirst || meansNothing(filters) ? await knownRecords(reads, filters) : undefined;
    return known ? { records: known, pagination: wholeList(known.length, query) } : page(filters, query);
  };
}

/** What filters mean where that needs no list: nothing, or the one record of a type and a name. */
export async function knownRecords(
  reads: ListReads,
  filters: RecordFilters,
): Promise<RecordItem[] | undefined> {
  if (meansNothing(filters)) return [];
  const [type, { name }] = [typeAsked(filters), filters];
  if (type === undefined || name === undefined) return undefined;
  const id = await reads.idOf({ type, name });
  return (id ? await reads.getMany([id]) : []).filter(recordPredicate(filters, reads.now()));
}

const wholeList = (totalCount: number, { limit, includeCount }: CursorQuery): CursorPagination => ({
  ...{ nextCursor: null, prevCursor: null, hasMore: false, hasPrev: false, limit, currentOffset: 0 },
  ...(includeCount === 'true' && { totalCount, totalPages: totalCount, currentPage: 1 }),
});
