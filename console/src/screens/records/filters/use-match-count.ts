import { useCall } from '../../../api/queries.ts';
import { useSettled } from '../../../ui/use-settled.ts';
import type { RecordFilter, SentFilter } from './filters.ts';

/** How many records of a type a filter matches. Counting reads many records, so it waits until the filter settles. */
export function useMatchCount(where: RecordFilter | undefined, type: string) {
  const text = JSON.stringify(where) ?? '';
  const settled = useSettled(text);
  const body = { type, ...(settled && { where: JSON.parse(settled) as SentFilter }) };
  const { data, error, isFetching } = useCall(
    'records.preview-filter',
    { body },
    { enabled: type !== '', keepsLast: true },
  );
  return { data, error, isCounting: isFetching || settled !== text };
}
