import { type CursorPagination, type CursorQuery, cursorPage, type ListSource } from '../data/pages.ts';
import type { TenantTable } from '../data/table.ts';
import { firstWithin } from './limits.ts';
import { type RecordItem, recordsPartition, recordTypePartition } from './record.ts';
import type { Pair } from './record-writer.ts';

export interface RecordFilters {
  type?: string | undefined;
  name?: string | undefined;
  /** A part of the name, in any case. */
  search?: string | undefined;
}

export interface RecordPage {
  records: RecordItem[];
  pagination: CursorPagination;
}

/** An answer of a Lambda may have 6 MB, so a page of large records ends early. */
const pageBytesMax = 5_000_000;

interface Reads {
  getMany: (ids: readonly string[]) => Promise<RecordItem[]>;
  idOf: (pair: Pair) => Promise<string | undefined>;
}

/** Lists records newest first: one Query of slim index entries, then one BatchGet for what the page shows. */
export function listRecords(table: TenantTable, { getMany, idOf }: Reads) {
  async function page(filters: RecordFilters, query: CursorQuery): Promise<RecordPage> {
    const { rows, pagination } = await cursorPage(table, sourceOf(table.tenant, filters), query);
    const records = await getMany(rows.map(({ id }) => id as string));
    const fitting = Math.min(
      firstWithin(records, pageBytesMax).length,
      firstWithin(records.toReversed(), pageBytesMax).length,
    );
    if (fitting === records.length) return { records, pagination };
    const shorter = await page(filters, { ...query, limit: fitting });
    return { ...shorter, pagination: { ...shorter.pagination, limit: query.limit } };
  }

  /** A type and a name together are one record, whose guard tells its id. */
  async function single(pair: Pair, search: string, query: CursorQuery): Promise<RecordPage> {
    const id = await idOf(pair);
    const found = id ? await getMany([id]) : [];
    const records = found.filter((record) => record.search.includes(search));
    const { limit, includeCount } = query;
    const counts = { totalCount: records.length, totalPages: records.length, currentPage: 1 };
    return {
      records,
      pagination: {
        ...{ nextCursor: null, prevCursor: null, hasMore: false, hasPrev: false, limit, currentOffset: 0 },
        ...(includeCount === 'true' && counts),
      },
    };
  }

  return (filters: RecordFilters, query: CursorQuery): Promise<RecordPage> => {
    const { type, name, search = '' } = filters;
    return type !== undefined && name !== undefined && !query.cursor && !query.direction
      ? single({ type, name }, search.toLowerCase(), query)
      : page(filters, query);
  };
}

function sourceOf(tenant: string, { type, name, search }: RecordFilters): ListSource {
  const source: ListSource =
    type === undefined
      ? { index: 1, partition: recordsPartition(tenant) }
      : { index: 2, partition: recordTypePartition(tenant, type) };
  const conditions = {
    ...(name !== undefined && { '#summary.#name = :name': { name } }),
    ...(search && { 'contains(#summary.#search, :search)': { search: search.toLowerCase() } }),
  };
  const expression = Object.keys(conditions).join(' AND ');
  if (!expression) return source;
  return { ...source, filter: { expression, values: Object.assign({}, ...Object.values(conditions)) } };
}
