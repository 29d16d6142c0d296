import { useNavigate, useSearch } from '@tanstack/react-router';
import { recordTexts } from '../../texts/records.ts';
import { isFilter, type RecordFilter } from './filters/filters.ts';

/** What the address of a table holds, so that a link shows the same. */
export interface TableAddress {
  search: string;
  columns: string[] | undefined;
  where: RecordFilter | undefined;
}

export function useTableAddress(): [TableAddress, (changes: Partial<TableAddress>) => void] {
  const held: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const address: TableAddress = {
    search: held.search === undefined ? '' : String(held.search),
    columns: Array.isArray(held.columns) ? held.columns.map(String) : undefined,
    where: filterOf(held.where),
  };
  function change(changes: Partial<TableAddress>) {
    const { search, ...rest } = { ...address, ...changes };
    navigate({ to: '.', search: { ...rest, ...(search && { search }) }, replace: true } as never);
  }
  return [address, change];
}

/** A table without the filter would show, and edit, more than its link says. */
function filterOf(where: unknown): RecordFilter | undefined {
  if (where === undefined || isFilter(where)) return where;
  throw new Error(recordTexts.filterNotReadable);
}
