import { explained } from '../../../ui/loading/failure-text.ts';
import { count } from '../../../ui/values/format.ts';
import type { RecordFilter } from './filters.ts';
import { useMatchCount } from './use-match-count.ts';

/** How many records of a type a filter matches. */
export function Matches({ where, type }: { where: RecordFilter | undefined; type: string }) {
  const { data, error, isCounting } = useMatchCount(where, type);
  return (
    <p role="status" className={error ? 'problem' : 'help'}>
      {isCounting ? 'Counting …' : error ? said(error) : data && matchText(data)}
    </p>
  );
}

function said(error: Error): string {
  const { title, lines } = explained(error);
  return ['The matches cannot be counted', title, ...lines].join('. ');
}

const matchText = ({ matchedCount, truncated }: { matchedCount: number; truncated: boolean }) =>
  `${truncated ? 'At least ' : ''}${count(matchedCount)} ${matchedCount === 1 ? 'record matches' : 'records match'}`;
