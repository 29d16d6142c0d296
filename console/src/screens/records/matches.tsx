import { useEffect, useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { explained } from '../../ui/failure.tsx';
import { count } from '../../ui/format.ts';
import type { RecordFilter } from './filters.ts';

/** Counting reads many records: not at each key that somebody presses. */
const pauseMs = 500;

/** How many records of a type a filter matches. */
export function Matches({ where, type }: { where: RecordFilter | undefined; type: string }) {
  const text = JSON.stringify(where) ?? '';
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const body = { type, ...(settled && { where: JSON.parse(settled) as RecordFilter }) };
  const { data, error, isFetching } = useCall(
    'POST /v1/records/preview-filter',
    { body },
    { enabled: type !== '', keepsLast: true },
  );
  const isOld = isFetching || settled !== text;
  return (
    <p role="status" className={error ? 'problem' : 'help'}>
      {isOld ? 'Counting …' : error ? said(error) : data && told(data)}
    </p>
  );
}

function said(error: Error): string {
  const { title, lines } = explained(error);
  return ['The matches cannot be counted', title, ...lines].join('. ');
}

const told = ({ matchedCount, truncated }: { matchedCount: number; truncated: boolean }) =>
  `${truncated ? 'At least ' : ''}${count(matchedCount)} ${matchedCount === 1 ? 'record matches' : 'records match'}`;
