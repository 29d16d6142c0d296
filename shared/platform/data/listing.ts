import { chunksOf } from '../../core/chunks.ts';
import type { QueryOptions } from './query.ts';
import type { QueryPage, TenantTable } from './table.ts';

export type Row = Record<string, unknown>;

/** An index whose sort key is the id of the items it lists. */
export interface ListSource extends Pick<QueryOptions, 'partition' | 'index' | 'filter'> {
  postFilter?: PostFilter;
}

/** What only whole items tell of what a list shows: they are read, some at a time, within a bound. */
export interface PostFilter {
  /** Of some index entries those that belong to the list, in their order. */
  keep: (entries: readonly Row[]) => Promise<FilteredRows>;
  /** How many entries a Query brings, and how many of them are sifted at once. */
  entriesPerQuery: number;
  batchSize: number;
}

export interface FilteredRows {
  rows: Row[];
  /** What it cost: an item read is 1 unit, a large one 1 for each 4 KB of it. */
  units: number;
  /** Nothing beyond these can belong to the list. */
  last?: boolean;
}

/** A filtered page looks at 10,000 index entries at most, a thousand a Query; a sieve reads 8 MB at most. */
const queriesMax = 10;
const filteredPerQuery = 1_000;
const pageUnitsMax = 2_000;
/** Of a row that another depends on. */
const newestRowQueriesMax = 2;
const newestRowUnitsMax = 200;
const countUnitsMax = 10_000;
const countQueriesMax = 100;

/** The newest row of a list, looked for a little way; `stoppedAt` tells where that ended without one. */
export async function newestRow(table: TenantTable, source: ListSource) {
  const bounds = { wanted: 1, queries: newestRowQueriesMax, units: newestRowUnitsMax };
  const { found, stoppedAt, units } = await collectRows(table, source, bounds);
  return { row: found[0], stoppedAt, units };
}

/** How many rows a list has; nothing where finding that out would mean to read too much. */
export async function countRows(table: TenantTable, source: ListSource): Promise<number | undefined> {
  if (!source.postFilter) return await table.count(source);
  let [count, units] = [0, 0];
  for await (const stage of walkList(table, source, {})) {
    count += stage.rows.length;
    units += stage.units;
    if (stage.at && (stage.queries >= countQueriesMax || units >= countUnitsMax)) return undefined;
  }
  return count;
}

export interface ListPosition {
  backwards?: boolean;
  /** Begins beside this id, or at it. */
  cursor?: string | undefined;
  inclusive?: true | undefined;
}

interface Search extends ListPosition {
  /** It ends when it has so many rows. */
  wanted: number;
  queries?: number;
  units?: number;
}

interface Collected {
  found: Row[];
  units: number;
  /** The last entry that was looked at, where others follow that were not. */
  stoppedAt?: string | undefined;
}

/** The rows beside an id, and where a search that had not enough of them gave up. */
export async function collectRows(
  table: TenantTable,
  source: ListSource,
  search: Search,
): Promise<Collected> {
  const { wanted, queries: queriesAllowed = queriesMax, units: unitsAllowed = pageUnitsMax } = search;
  const found: Row[] = [];
  let units = 0;
  for await (const { rows, queries, at, ...filtered } of walkList(table, source, search, wanted)) {
    found.push(...rows);
    units += filtered.units;
    if (at === undefined || found.length >= wanted) break;
    if (queries >= queriesAllowed || units >= unitsAllowed) return { found, units, stoppedAt: at };
  }
  return { found, units };
}

interface Stage extends FilteredRows {
  /** How many Queries are done with. */
  queries: number;
  /** The last entry that was looked at; nothing at the end of the list. */
  at: string | undefined;
}

/** A list from one place to its end, some at a time. `wanted` is how many rows may do. */
export async function* walkList(
  table: TenantTable,
  source: ListSource,
  place: ListPosition,
  wanted = Number.POSITIVE_INFINITY,
): AsyncGenerator<Stage, void> {
  const { postFilter = passAll } = source;
  for (let queries = 0, startKey: QueryPage['nextKey']; ; queries++) {
    const page = await table.query(queryOf(source, { ...place, wanted }, { queries, startKey }));
    startKey = page.nextKey;
    const entries = entriesIn(page, source).filter(({ id }) => id !== place.cursor || place.inclusive);
    const chunks = chunksOf(entries, postFilter.batchSize);
    for (const [index, chunk] of chunks.entries()) {
      const { last, ...filtered } = await postFilter.keep(chunk);
      const isEnd = last || (!startKey && index === chunks.length - 1);
      yield { ...filtered, queries, at: isEnd ? undefined : (chunk.at(-1)?.id as string) };
      if (isEnd) return;
    }
    if (!startKey) return;
    yield { rows: [], units: 0, queries: queries + 1, at: startKey[sortKeyOf(source)] as string };
  }
}

const passAll: PostFilter = {
  keep: async (entries) => ({ rows: [...entries], units: 0 }),
  entriesPerQuery: filteredPerQuery,
  batchSize: Number.POSITIVE_INFINITY,
};

const sortKeyOf = ({ index }: ListSource) => (index ? `SK${index}` : 'SK');

const entriesIn = (page: QueryPage, source: ListSource): Row[] =>
  page.items.map((item) => ({ ...item, ...(item.summary as object), id: item[sortKeyOf(source)] }));

function queryOf(
  { postFilter, ...source }: ListSource,
  { wanted, backwards = false, cursor }: Search,
  { queries, startKey }: { queries: number; startKey: QueryPage['nextKey'] },
): QueryOptions {
  // Without a filter of the index, the first Query is that of a page on which all belong to the list.
  const perQuery = source.filter
    ? filteredPerQuery
    : queries > 0 && postFilter
      ? postFilter.entriesPerQuery
      : wanted + 1;
  return {
    ...source,
    newestFirst: !backwards,
    // Both bounds are inclusive, so the row beside which the page begins comes along and is dropped.
    ...(cursor && (backwards ? { from: cursor } : { to: cursor })),
    limit: Math.min(perQuery, filteredPerQuery),
    ...(startKey && { startKey }),
  };
}
