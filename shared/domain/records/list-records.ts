import {
  type CursorPagination,
  type CursorQuery,
  cursorPage,
  onePage,
} from '../../platform/data/lists/pages.ts';
import { responseBytesMax, takeWithinBytes } from '../../platform/http/responses/envelope.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import { recordPredicate, recordTypeFilter } from './record-predicate.ts';
import { matchesNothing, type RecordReads, recordIn, recordSource } from './record-source.ts';
import type { TypeAndName } from './record-writer.ts';

export interface RecordPage {
  records: RecordItem[];
  pagination: CursorPagination;
}

export interface ListReads extends RecordReads {
  idOf: (pair: TypeAndName) => Promise<string | undefined>;
}

/** Lists records newest first: reads index entries, then the records that the page shows or filters. */
export function recordLister(reads: ListReads) {
  async function page(filters: RecordFilters, query: CursorQuery): Promise<RecordPage> {
    const source = { ...recordSource(reads, filters), kind: 'record' as const };
    const { rows, pagination } = await cursorPage(reads.table, source, query);
    const records = rows.every(recordIn)
      ? rows.flatMap((row) => recordIn(row) ?? [])
      : await reads.getMany(rows.map(({ id }) => id as string));
    const fitting = Math.min(
      takeWithinBytes(records, responseBytesMax).length,
      takeWithinBytes(records.toReversed(), responseBytesMax).length,
    );
    if (fitting === records.length) return { records, pagination };
    const shorter = await page(filters, { ...query, limit: fitting });
    return { ...shorter, pagination: { ...shorter.pagination, limit: query.limit } };
  }

  return async (filters: RecordFilters, query: CursorQuery): Promise<RecordPage> => {
    const isFirst = !query.cursor && !query.direction;
    const known = isFirst || matchesNothing(filters) ? await knownRecords(reads, filters) : undefined;
    return known ? { records: known, pagination: onePage(known.length, query) } : page(filters, query);
  };
}

/** The matching records if that needs no list: none, or the one of a type and name. */
export async function knownRecords(
  reads: ListReads,
  filters: RecordFilters,
): Promise<RecordItem[] | undefined> {
  if (matchesNothing(filters)) return [];
  const [type, { name }] = [recordTypeFilter(filters), filters];
  if (type === undefined || name === undefined) return undefined;
  const id = await reads.idOf({ type, name });
  return (id ? await reads.getMany([id]) : []).filter(recordPredicate(filters, reads.now()));
}
