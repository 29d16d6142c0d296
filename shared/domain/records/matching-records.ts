import { filterYielding } from '../../core/event-loop.ts';
import { walkList } from '../../platform/data/listing.ts';
import { knownRecords, type ListReads } from './list-records.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import { recordPredicate, typeFilterOf } from './record-predicate.ts';
import { recordIn, recordSource } from './record-source.ts';

export interface MatchingPage {
  records: RecordItem[];
  /** The read units used. */
  units: number;
}

/** All matching records, newest first, page by page. `newest` is the id to begin with. */
export const matchingRecords = (reads: ListReads) =>
  async function* (filters: RecordFilters, newest?: string): AsyncGenerator<MatchingPage, void> {
    const known = await knownRecords(reads, filters);
    if (known) return yield { records: known, units: known.length };
    const { distinct, ...others } = filters;
    const types = new Set<string>();
    const isFirst = ({ type }: RecordItem) => !types.has(type) && types.add(type).size > 0;
    const source = recordSource(reads, others, { whole: true });
    for await (const { rows, units } of walkList(reads.table, source, { cursor: newest, inclusive: true })) {
      const records = rows.flatMap((row) => recordIn(row) ?? []);
      yield { records: distinct ? records.filter(isFirst) : records, units };
      if (distinct && types.size > 0 && typeFilterOf(filters) !== undefined) return;
    }
  };

/** The records of these ids that still match. */
export const stillMatching =
  ({ getMany, now, signal }: ListReads) =>
  async (filters: RecordFilters, ids: readonly string[]): Promise<RecordItem[]> =>
    filterYielding(await getMany(ids), recordPredicate(filters, now()), signal);
