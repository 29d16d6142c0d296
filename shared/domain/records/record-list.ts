/**
 * Lists and filters records, newest first.
 *
 * Index entries come first; a filter on metadata then reads the records in batches and counts their units, and `distinct`
 * keeps the newest of each type by asking that type's own index. A page stops at the bounds of
 * `platform/data/lists/listing.ts` and says where to go on. `findWithoutList` answers what needs no list. `record-store.ts`
 * gives the reads; the filters are declared in `record-filters.ts`.
 */

import { filterPredicate } from '../../core/filters/matches.ts';
import {
  findNewestRow,
  type ListedItem,
  type ListSource,
  type PostFilter,
  walkList,
} from '../../platform/data/lists/listing.ts';
import {
  type CursorPagination,
  type CursorQuery,
  cursorPage,
  onePage,
} from '../../platform/data/lists/pages.ts';
import type { TenantTable } from '../../platform/data/table.ts';
import { countFitting } from '../../platform/http/responses/body-sizes.ts';
import { importedIds } from './imported-id.ts';
import { countJsonBytes, type RecordItem, recordsRange } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import type { MatchingRecords, TypeAndName } from './record-store.ts';
import type { FilteredRecord, RecordTest } from './stored-record.ts';

export interface RecordPage {
  records: RecordItem[];
  pagination: CursorPagination;
}

interface ListReads extends RecordReads {
  findId: (pair: TypeAndName) => Promise<string | undefined>;
}

/** Lists records newest first: reads index entries, then the records that the page shows or filters. */
export function recordLister(reads: ListReads) {
  async function readPage(filters: RecordFilters, query: CursorQuery): Promise<RecordPage> {
    const source = { ...toRecordSource(reads, filters), kind: 'record' as const };
    const { rows, pagination } = await cursorPage(reads.table, source, query);
    const records = rows.every(getRecord)
      ? rows.flatMap((row) => getRecord(row) ?? [])
      : await reads.getMany(rows.map(({ id }) => id as string));
    const fitting = countFitting(records);
    if (fitting === records.length) return { records, pagination };
    const shorter = await readPage(filters, { ...query, limit: fitting });
    return { ...shorter, pagination: { ...shorter.pagination, limit: query.limit } };
  }

  return async (filters: RecordFilters, query: CursorQuery): Promise<RecordPage> => {
    const isFirst = !query.cursor && !query.direction;
    const found = isFirst || matchesNothing(filters) ? await findWithoutList(reads, filters) : undefined;
    return found ? { records: found, pagination: onePage(found.length, query) } : readPage(filters, query);
  };
}

/** The matching records if that needs no list: none, or the one of a type and name. */
async function findWithoutList(reads: ListReads, filters: RecordFilters): Promise<RecordItem[] | undefined> {
  if (matchesNothing(filters)) return [];
  const [type, { name }] = [recordTypeFilter(filters), filters];
  if (type === undefined || name === undefined) return undefined;
  const id = await reads.findId({ type, name });
  return (id ? await reads.getMany([id]) : []).filter(createRecordPredicate(filters, reads.now()));
}

/** Reads the table, and existing records by their ids. */
interface RecordReads {
  table: TenantTable;
  now: () => Date;
  getMany: (ids: readonly string[]) => Promise<RecordItem[]>;
  getMatching: (ids: readonly string[], isMatch: RecordTest) => Promise<MatchingRecords>;
}

/** A record may have 400 KB, and all records read at once are in memory. */
const readAtOnce = 100;
const readPerQuery = 250;

const matchesNothing = ({ type, recordFilter }: RecordFilters) =>
  recordFilter && type !== undefined && type !== recordFilter.type;

/** The index to list from, and a post-filter for what it cannot answer. With `whole`, every row has its record. */
function toRecordSource(reads: RecordReads, filters: RecordFilters, { whole = false } = {}): ListSource {
  const { table, now } = reads;
  const passes = createMetadataPredicate(filters, now()) ?? (whole ? () => true : undefined);
  const source = {
    ...indexOf(filters),
    ...(passes && { postFilter: createReadingFilter(reads, passes) }),
  };
  if (filters.distinct === undefined) return source;
  const toTypeSource = (type: string) => toRecordSource(reads, { ...filters, type, distinct: undefined });
  return {
    ...source,
    postFilter: createDistinctFilter(table, {
      source,
      toTypeSource,
      type: recordTypeFilter(filters),
    }),
  };
}

/** The record of a row, if the post-filter has read it. */
const getRecord = ({ record }: ListedItem) => record as RecordItem | undefined;

/** Reads the records of index entries and keeps those that match. */
function createReadingFilter({ getMatching }: RecordReads, isMatch: RecordTest): PostFilter {
  return {
    entriesPerQuery: readPerQuery,
    batchSize: readAtOnce,
    async keep(entries) {
      const { records, units } = await getMatching(
        entries.map(({ id }) => id as string),
        isMatch,
      );
      const matching = new Map(records.map((record) => [record.id, record]));
      return {
        units,
        rows: entries.flatMap((entry) => {
          const record = matching.get(entry.id as string);
          // The index is eventually consistent: a record may still appear under its previous type.
          return record && record.type === entry.type ? [{ ...entry, record }] : [];
        }),
      };
    },
  };
}

function indexOf(filters: RecordFilters): ListSource {
  const { name, search, product_surface_id: surfaceId } = filters;
  const source: ListSource = {
    ...recordsRange(recordTypeFilter(filters)),
    ...(filters.importId !== undefined && importedIds(filters.importId)),
  };
  const conditions = {
    ...(name !== undefined && { '#summary.#name = :name': { name } }),
    ...(surfaceId !== undefined && { '#summary.#productSurfaceId = :surfaceId': { surfaceId } }),
    ...(search && { 'contains(#summary.#search, :search)': { search: search.toLowerCase() } }),
  };
  const expression = Object.keys(conditions).join(' AND ');
  if (!expression) return source;
  return { ...source, filter: { expression, values: Object.assign({}, ...Object.values(conditions)) } };
}

interface MatchingPage {
  records: RecordItem[];
  /** The read units used. */
  units: number;
  /** The last record examined, if there are more: a later call continues after it. */
  at?: string | undefined;
}

/** All matching records, newest first, page by page. `after` is the id to continue after. */
export const walkMatching = (reads: ListReads) =>
  async function* (filters: RecordFilters, after?: string): AsyncGenerator<MatchingPage, void> {
    const found = await findWithoutList(reads, filters);
    if (found) {
      const records = found.filter(({ id }) => !after || id < after);
      return yield { records, units: found.length };
    }
    const { distinct, ...others } = filters;
    const types = new Set<string>();
    const isFirst = ({ type }: RecordItem) => !types.has(type) && types.add(type).size > 0;
    // Only the list's own filter knows the types of earlier records.
    const source = toRecordSource(reads, after ? filters : others, { whole: true });
    for await (const { rows, units, at } of walkList(reads.table, source, { cursor: after })) {
      const records = rows.flatMap((row) => getRecord(row) ?? []);
      const isEnd = distinct && recordTypeFilter(filters) !== undefined && records.length > 0;
      yield { records: distinct ? records.filter(isFirst) : records, units, at: isEnd ? undefined : at };
      if (isEnd) return;
    }
  };

/** The records of these ids that still match. */
export const filterMatching =
  ({ getMatching, now }: ListReads) =>
  async (filters: RecordFilters, ids: readonly string[]): Promise<RecordItem[]> =>
    (await getMatching(ids, createRecordPredicate(filters, now()))).records;

interface Distinct {
  source: ListSource;
  toTypeSource: (type: string) => ListSource;
  /** The type of the list, if it has only one. */
  type: string | undefined;
}

const entriesPerQuery = 1_000;
const entriesAtOnce = 100;
/** If records of every type may have to be read. */
const recordsAtOnce = 10;

/** Uses the type's own index, so that a page needs no earlier state. Beyond the lookup limit, a type may repeat on two pages. */
function createDistinctFilter(table: TenantTable, { source, toTypeSource, type }: Distinct): PostFilter {
  const newest = new Map<unknown, string | undefined>();

  async function look(type: string): Promise<number> {
    const { row, stoppedAt, units } = await findNewestRow(table, toTypeSource(type));
    if (stoppedAt === undefined) newest.set(type, row?.id as string | undefined);
    return units + 1;
  }

  const isNewest = (row: ListedItem) => {
    if (!newest.has(row.type)) newest.set(row.type, row.id as string);
    return newest.get(row.type) === row.id;
  };

  return {
    entriesPerQuery: source.postFilter?.entriesPerQuery ?? entriesPerQuery,
    batchSize: source.postFilter ? recordsAtOnce : entriesAtOnce,
    async keep(entries) {
      const { rows, units } = (await source.postFilter?.keep(entries)) ?? { rows: entries, units: 0 };
      const unknown = new Set(rows.map(({ type }) => type as string).filter((type) => !newest.has(type)));
      const spent = await Promise.all([...unknown].map(look));
      const kept = rows.filter(isNewest);
      return {
        rows: kept,
        units: spent.reduce((sum, each) => sum + each, units),
        last: type !== undefined && kept.length > 0,
      };
    },
  };
}

const recordTypeFilter = ({ type, recordFilter }: RecordFilters) => type ?? recordFilter?.type;

function createRecordPredicate(filters: RecordFilters, now: Date): RecordTest {
  const { name, importId, search = '' } = filters;
  const type = recordTypeFilter(filters);
  const ofMetadata = createMetadataPredicate(filters, now);
  return (record) =>
    (type === undefined || record.type === type) &&
    (name === undefined || record.name === name) &&
    (importId === undefined || record.importId === importId) &&
    record.search.includes(search.toLowerCase()) &&
    (!ofMetadata || ofMetadata(record));
}

export const fieldTypes = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const;
const largeFieldBytes = 10 * 1024;

/** The filters that need whole records and no index can answer; undefined if there are none. */
function createMetadataPredicate(filters: RecordFilters, now: Date): RecordTest | undefined {
  const tests = Object.entries(testsFor).flatMap(([name, testFor]) => {
    const value = filters[name as keyof RecordFilters];
    return value === undefined ? [] : [testFor(value as never, now)];
  });
  const asked = tests.filter((test) => test !== undefined);
  return asked.length > 0 ? (record) => asked.every((test) => test(record)) : undefined;
}

type Asked = Required<{ [Name in keyof RecordFilters]: NonNullable<RecordFilters[Name]> }>;

const testsFor: { [Name in keyof Asked]?: (value: Asked[Name], now: Date) => RecordTest | undefined } = {
  recordFilter: ({ where }, now) => where && filterPredicate(where, now),
  metadata_keys: (keys) => (record) => keys.some((key) => Object.hasOwn(record.metadata, key)),
  metadata_keys_all: (keys) => (record) => keys.every((key) => Object.hasOwn(record.metadata, key)),
  min_fields: (least) => (record) => listValues(record).length >= least,
  max_fields: (most) => (record) => listValues(record).length <= most,
  metadata_types: (types) => (record) => listValues(record).some((value) => types.includes(getType(value))),
  has_large_fields: (wanted) => (record) =>
    listValues(record).some((value) => countJsonBytes(value) > largeFieldBytes) === wanted,
  min_size_kb: (least) => (record) => countJsonBytes(record.metadata) >= least * 1024,
  max_size_kb: (most) => (record) => countJsonBytes(record.metadata) <= most * 1024,
};

const listValues = ({ metadata }: FilteredRecord) => Object.values(metadata);

function getType(value: unknown): (typeof fieldTypes)[number] {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as (typeof fieldTypes)[number]);
}
