import { filterYielding } from '../../core/concurrency/event-loop.ts';
import type { ListedItem, ListSource, PostFilter } from '../../platform/data/lists/listing.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { distinctPostFilter } from './distinct-post-filter.ts';
import { jsonBytes } from './limits.ts';
import { metadataPredicate } from './metadata-predicates.ts';
import { type RecordItem, recordsRange } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import { recordTypeFilter } from './record-predicate.ts';

/** Reads the table, and existing records by their ids. */
export interface RecordReads {
  table: TenantTable;
  now: () => Date;
  signal: AbortSignal | undefined;
  getMany: (ids: readonly string[]) => Promise<RecordItem[]>;
}

/** A record may have 400 KB, and all records read at once are in memory. */
const readAtOnce = 100;
const readPerQuery = 250;
const bytesPerUnit = 4_096;

export const matchesNothing = ({ type, recordFilter }: RecordFilters) =>
  recordFilter && type !== undefined && type !== recordFilter.type;

/** The index to list from, and a post-filter for what it cannot answer. With `whole`, every row has its record. */
export function recordSource(reads: RecordReads, filters: RecordFilters, { whole = false } = {}): ListSource {
  const { table, now } = reads;
  const passes = metadataPredicate(filters, now()) ?? (whole ? () => true : undefined);
  const source = {
    ...indexOf(filters),
    ...(passes && { postFilter: readingPostFilter(reads, passes) }),
  };
  if (filters.distinct === undefined) return source;
  const ofType = (type: string) => recordSource(reads, { ...filters, type, distinct: undefined });
  return {
    ...source,
    postFilter: distinctPostFilter(table, { source, ofType, type: recordTypeFilter(filters) }),
  };
}

/** The record of a row, if the post-filter has read it. */
export const recordIn = ({ record }: ListedItem) => record as RecordItem | undefined;

/** Reads the records of index entries and keeps those that match. */
function readingPostFilter(
  { getMany, signal }: RecordReads,
  passes: (record: RecordItem) => boolean,
): PostFilter {
  return {
    entriesPerQuery: readPerQuery,
    batchSize: readAtOnce,
    async keep(entries) {
      const records = await getMany(entries.map(({ id }) => id as string));
      const passed = await filterYielding(records, passes, signal);
      const read = new Map(passed.map((record) => [record.id, record]));
      const bytes = records.map(({ metadata }) => jsonBytes(metadata));
      return {
        units: bytes.reduce((sum, size) => sum + Math.floor(size / bytesPerUnit), entries.length),
        rows: entries.flatMap((entry) => {
          const record = read.get(entry.id as string);
          // The index is eventually consistent: a record may still appear under its previous type.
          return record && record.type === entry.type ? [{ ...entry, record }] : [];
        }),
      };
    },
  };
}

function indexOf(filters: RecordFilters): ListSource {
  const { name, search, product_surface_id: surfaceId } = filters;
  const source: ListSource = recordsRange(recordTypeFilter(filters));
  const conditions = {
    ...(name !== undefined && { '#summary.#name = :name': { name } }),
    ...(surfaceId !== undefined && { '#summary.#productSurfaceId = :surfaceId': { surfaceId } }),
    ...(search && { 'contains(#summary.#search, :search)': { search: search.toLowerCase() } }),
  };
  const expression = Object.keys(conditions).join(' AND ');
  if (!expression) return source;
  return { ...source, filter: { expression, values: Object.assign({}, ...Object.values(conditions)) } };
}
