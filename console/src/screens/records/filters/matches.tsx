import { recordTexts } from '../../../texts/records.ts';
import { explained } from '../../../ui/loading/failure-text.ts';
import type { RecordFilter } from './filters.ts';
import { useMatchCount } from './use-match-count.ts';

/** How many records of a type a filter matches. */
export function Matches({ where, type }: { where: RecordFilter | undefined; type: string }) {
  const { data, error, isCounting } = useMatchCount(where, type);
  return (
    <p role="status" className={error ? 'problem' : 'help'}>
      {isCounting ? recordTexts.counting : error ? said(error) : data && matchText(data)}
    </p>
  );
}

function said(error: Error): string {
  const { title, lines } = explained(error);
  return [recordTexts.matchesCannotBeCounted, title, ...lines].join('. ');
}

const matchText = ({ matchedCount, truncated }: { matchedCount: number; truncated: boolean }) =>
  (truncated ? recordTexts.orMoreRecordsMatch : recordTexts.recordsMatch)(matchedCount);
