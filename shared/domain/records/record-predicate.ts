import { metadataPredicate } from './metadata-predicates.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';

export const recordTypeFilter = ({ type, recordFilter }: RecordFilters) => type ?? recordFilter?.type;

export function recordPredicate(filters: RecordFilters, now: Date): (record: RecordItem) => boolean {
  const { name, search = '' } = filters;
  const type = recordTypeFilter(filters);
  const ofMetadata = metadataPredicate(filters, now);
  return (record) =>
    (type === undefined || record.type === type) &&
    (name === undefined || record.name === name) &&
    record.search.includes(search.toLowerCase()) &&
    (!ofMetadata || ofMetadata(record));
}
