import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { flowTexts } from '../../texts/flows.ts';
import { FilterBuilder } from '../records/filters/filter-builder.tsx';
import { finished, type RecordFilter, type SentFilter } from '../records/filters/filters.ts';
import { useMatchCount } from '../records/filters/use-match-count.ts';
import { TypeChoice } from '../records/type-choice.tsx';

export type KnownTypes = OperationResponse<'records.types'>;

export type ChosenRecords = ReturnType<typeof useRecordChoice>;

/** The records of a type, or those that match a filter. @param filteredMax How many these may be. */
export function useRecordChoice(first: string, filteredMax: number) {
  const [type, setType] = useState(first);
  const [filter, setFilter] = useState<RecordFilter>();
  const where = finished(filter);
  const { data: preview, isCounting } = useMatchCount(where, type);
  const matches = preview?.matchedCount ?? 0;
  const isMany = matches > filteredMax || preview?.truncated === true;
  const problem = where && isMany ? flowTexts.filterMatchesTooMany(filteredMax) : undefined;
  return {
    type,
    chooseType(next: string) {
      setType(next);
      setFilter(undefined);
    },
    filter,
    setFilter,
    where,
    matches: isMany ? filteredMax + 1 : matches,
    isAllOfMany: isMany && !where,
    problem,
    isReady: !isCounting && matches > 0 && !problem,
    /** Members of a request. */
    selected: where ? { recordFilter: { type, where: where as SentFilter } } : { recordType: type },
  };
}

export const RecordChoice = ({ known: recordTypes, of }: { known: KnownTypes; of: ChosenRecords }) => (
  <>
    <TypeChoice label={flowTexts.recordType} known={recordTypes} value={of.type} onChange={of.chooseType} />
    <FilterBuilder value={of.filter} onChange={of.setFilter} type={of.type} />
    {of.problem && <p className="problem">{of.problem}</p>}
  </>
);
