import { filterYielding } from '../../core/concurrency/event-loop.ts';
import { walkList } from '../../platform/data/lists/listing.ts';
import { knownRecords, type ListReads } from './list-records.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import { recordPredicate, recordTypeFilter } from './record-predicate.ts';
import { recordIn, recordSource } from './record-source.ts';

export interface MatchingPage {
  records: RecordItem[];
  /** The read units used. */
  units: number;
  /** The last record examined, if there are more: a later call continues after it. */
  at?: string | undefined;
}

/** All matching records, newest first, page by page. `after` is the id to continue after. */
export const matchingRecords = (reads: ListReads) =>
  async function* (filters: RecordFilters, after?: string): AsyncGenerator<MatchingPage, void> {
    const known = await knownRecords(reads, filters);
    if (known) {
      const records = known.filter(({ id }) => !after || id < after);
      return yield { records, units: known.length };
    }
    const { distinct, ...others } = filters;
    const types = new Set<string>();
    const isFirst = ({ type }: RecordItem) => !types.has(type) && types.add(type).size > 0;
    // Only the list's own filter knows the types of earlier records.
    const source = recordSource(reads, after ? filters : others, { whole: true });
    for await (const { rows, units, at } of walkList(reads.table, source, { cursor: after })) {
      const records = rows.flatMap((row) => recordIn(row) ?? []);
      const isEnd = distinct && recordTypeFilter(filters) !== undefined && records.length > 0;
      yield { records: distinct ? records.filter(isFirst) : records, units, at: isEnd ? undefined : at };
      if (isEnd) return;
    }
  };

/** The records of these ids that still match. */
export const stillMatching =
  ({ getMany, now, signal }: ListReads) =>
  async (filters: RecordFilters, ids: readonly string[]): Promise<RecordItem[]> =>
    filterYielding(await getMany(ids), recordPredicate(filters, now()), signal);
