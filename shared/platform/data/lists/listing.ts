/**
 * Reads filtered lists from an index page by page, within bounds of Queries and read units.
 *
 * An index filter runs in DynamoDB; a post-filter gets whole items in batches and is the only one that can say that a list has
 * ended early. Whatever stops a search (enough rows, the end, a bound) is reported as the place to go on from, so that a
 * caller never loses entries. `pages.ts` and `numbered-pages.ts` make responses from it, `counts.ts` the counts.
 */

import { toChunks } from '../../../core/chunks.ts';
import type { QueryOptions, WalkOptions } from '../query.ts';
import type { QueryPage, TenantTable } from '../table.ts';

export type ListedItem = Record<string, unknown>;

/** An index sorted by the id of its items. */
export interface ListSource extends Pick<QueryOptions, 'partition' | 'index' | 'filter' | 'from' | 'to'> {
  postFilter?: PostFilter;
  /** Most entries are likely to pass `filter`, so that the first Query need not read many. */
  passesMost?: boolean;
}

/** A filter that has to read whole items. It reads them in batches, within limits. */
export interface PostFilter {
  /** Returns those entries that belong to the list, in their order. */
  keep: (entries: readonly ListedItem[]) => Promise<FilteredRows>;
  /** How many entries one Query reads, and how many of them `keep` gets at once. */
  entriesPerQuery: number;
  batchSize: number;
}

interface FilteredRows {
  rows: ListedItem[];
  /** Read units: 1 per item, or 1 per 4 KB of a large item. */
  units: number;
  /** No later entry can belong to the list. */
  last?: boolean;
}

/** A filtered page reads up to 10,000 index entries, 1,000 per Query; a post-filter reads up to 8 MB. */
const queriesMax = 10;
const filteredPerQuery = 1_000;
/** Of a filter that most entries pass. */
const firstEntriesPerRow = 4;
const pageUnitsMax = 2_000;
const newestRowQueriesMax = 2;
const newestRowUnitsMax = 200;

/** The newest row within a short scan. `stoppedAt` is where the scan ended without one. */
export async function findNewestRow(table: TenantTable, source: ListSource) {
  const bounds = { wanted: 1, queries: newestRowQueriesMax, units: newestRowUnitsMax };
  const { found, stoppedAt, units } = await collectRows(table, source, bounds);
  return { row: found[0], stoppedAt, units };
}

export interface ListPosition {
  backwards?: boolean;
  /** The id at which the page begins; exclusive unless `inclusive` is set. */
  cursor?: string | undefined;
  inclusive?: true | undefined;
}

interface Search extends ListPosition {
  /** The number of rows after which the search ends. */
  wanted: number;
  queries?: number;
  units?: number;
}

interface Collected {
  found: ListedItem[];
  units: number;
  /** The last entry read, if unread entries follow. */
  stoppedAt?: string | undefined;
}

export async function collectRows(
  table: TenantTable,
  source: ListSource,
  search: Search,
): Promise<Collected> {
  const { wanted, queries: queriesAllowed = queriesMax, units: unitsAllowed = pageUnitsMax } = search;
  const found: ListedItem[] = [];
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
  queries: number;
  /** The last entry read; `undefined` at the end of the list. */
  at: string | undefined;
}

/** Yields a list from a position to its end, in batches. `wanted` is a hint for the size of the first Query. */
export async function* walkList(
  table: TenantTable,
  source: ListSource,
  place: ListPosition,
  wanted = Number.POSITIVE_INFINITY,
): AsyncGenerator<Stage, void> {
  const { postFilter = passAll } = source;
  let queries = 0;
  for await (const page of table.walk(toQuery(source, { ...place, wanted }))) {
    const isLastPage = page.readTo === undefined;
    const entries = toEntries(page, source).filter(({ id }) => id !== place.cursor || place.inclusive);
    const chunks = toChunks(entries, postFilter.batchSize);
    for (const [index, chunk] of chunks.entries()) {
      const { last, ...filtered } = await postFilter.keep(chunk);
      const isEnd = last || (isLastPage && index === chunks.length - 1);
      yield { ...filtered, queries, at: isEnd ? undefined : (chunk.at(-1)?.id as string) };
      if (isEnd) return;
    }
    queries++;
    if (!isLastPage) yield { rows: [], units: 0, queries, at: page.readTo };
  }
}

const passAll: PostFilter = {
  keep: async (entries) => ({ rows: [...entries], units: 0 }),
  entriesPerQuery: filteredPerQuery,
  batchSize: Number.POSITIVE_INFINITY,
};

const nameSortKey = ({ index }: ListSource) => (index ? `SK${index}` : 'SK');

const toEntries = (page: QueryPage, source: ListSource): ListedItem[] =>
  page.items.map((item) => ({ ...item, ...(item.summary as object), id: item[nameSortKey(source)] }));

function toQuery(list: ListSource, { wanted, backwards = false, cursor }: Search): WalkOptions {
  const { postFilter: _inMemory, passesMost: _hint, ...source } = list;
  return {
    ...source,
    newestFirst: !backwards,
    // Both bounds are inclusive, so the Query also returns the row of the cursor, which is dropped.
    ...(cursor && (backwards ? { from: largest(cursor, list.from) } : { to: smallest(cursor, list.to) })),
    perQuery: (queries) => Math.min(countEntriesPerQuery(list, wanted, queries === 0), filteredPerQuery),
  };
}

const largest = (cursor: string, from = cursor) => (from > cursor ? from : cursor);
const smallest = (cursor: string, to = cursor) => (to < cursor ? to : cursor);

function countEntriesPerQuery(
  { filter, passesMost, postFilter }: ListSource,
  wanted: number,
  isFirst: boolean,
): number {
  if (filter) return isFirst && passesMost ? (wanted + 1) * firstEntriesPerRow : filteredPerQuery;
  // Without an index filter, size the first Query as if every entry belonged to the list.
  return postFilter && !isFirst ? postFilter.entriesPerQuery : wanted + 1;
}
