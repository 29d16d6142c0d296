import type { TableAddress } from './address.ts';
import type { RecordFilter } from './filters/filters.ts';

/** What selects the records that the table shows: the search is a condition too. */
export function tableFilter({ search, where }: TableAddress): RecordFilter | undefined {
  const conditions: RecordFilter[] = [
    ...(where ? [where] : []),
    ...(search ? [{ field: 'name', op: 'contains' as const, value: search }] : []),
  ];
  return conditions.length > 1 ? { op: 'and', conditions } : conditions[0];
}

/** Asks for the metadata in the columns only: records may be large. */
export function tableQuery(type: string, { search, where }: TableAddress, shown: readonly string[]) {
  const keys = [...new Set(shown.flatMap((name) => [name, name.split('.')[0] ?? name, unshadowed(name)]))];
  const canAsk = keys.length > 0 && keys.length <= 100 && !keys.some((key) => /,|^\s|\s$/.test(key));
  return {
    ...(where ? { recordFilter: JSON.stringify({ type, where }) } : { type }),
    ...(search && { search }),
    ...(canAsk && { includeFields: keys.join(',') }),
  };
}

const unshadowed = (name: string) => name.replace(/^metadata\./, '');
