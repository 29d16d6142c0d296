import { useId } from 'react';
import { useCall } from '../../../api/queries.ts';
import { GroupRows } from './filter-group.tsx';
import { type FieldOfType, type FilterGroup, finished, isGroup, type RecordFilter } from './filters.ts';
import '../../../style/records.css';
import { recordTexts } from '../../../texts/records.ts';
import { explained } from '../../../ui/loading/failure-text.ts';
import { useMatchCount } from './use-match-count.ts';

interface Props {
  /** The `where` of a recordFilter; `undefined` selects all records of the type. */
  value: RecordFilter | undefined;
  /** Called with unfinished conditions too: `finished` leaves them out. */
  onChange: (value: RecordFilter | undefined) => void;
  type: string;
}

const builtIn: FieldOfType[] = [
  { name: 'name', types: ['string'], count: 0, examples: [] },
  { name: 'createdAt', types: ['date'], count: 0, examples: [] },
  { name: 'updatedAt', types: ['date'], count: 0, examples: [] },
];

/** Writes a filter of records of a type: conditions in groups, and how many records match. */
export function FilterBuilder({ value, onChange, type }: Props) {
  const list = useId();
  const schema = useCall('records.schema', { query: { type } }, { enabled: type !== '' });
  const fields = [...(schema.data?.fields ?? []), ...builtIn];
  const group: FilterGroup = !value
    ? { op: 'and', conditions: [] }
    : isGroup(value)
      ? value
      : { op: 'and', conditions: [value] };
  return (
    <div className="records-filter">
      <datalist id={list}>
        {fields.map(({ name }) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <GroupRows
        group={group}
        fields={fields}
        list={list}
        depth={1}
        onChange={(next) => onChange(next.conditions.length > 0 ? next : undefined)}
      />
      <Matches where={finished(value)} type={type} />
    </div>
  );
}

/** How many records of a type a filter matches. */
function Matches({ where, type }: { where: RecordFilter | undefined; type: string }) {
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
