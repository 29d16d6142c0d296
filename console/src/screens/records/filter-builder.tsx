import { useId, useRef } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ConditionRow } from './condition-row.tsx';
import { type FieldOfType, finished, type Group, isGroup, type RecordFilter } from './filters.ts';
import { Matches } from './matches.tsx';
import '../../style/records.css';

interface Props {
  /** The `where` of a recordFilter; `undefined` selects all records of the type. */
  value: RecordFilter | undefined;
  /** Called with unfinished conditions too: `finished` leaves them out. */
  onChange: (value: RecordFilter | undefined) => void;
  type: string;
}

const nestingMax = 3;
const noCondition: RecordFilter = { field: '', op: 'eq', value: '' };
const own: FieldOfType[] = [
  { name: 'name', types: ['string'], count: 0, examples: [] },
  { name: 'createdAt', types: ['date'], count: 0, examples: [] },
  { name: 'updatedAt', types: ['date'], count: 0, examples: [] },
];

/** Writes a filter of records of a type: conditions in groups, and how many records match. */
export function FilterBuilder({ value, onChange, type }: Props) {
  const list = useId();
  const schema = useCall('GET /v1/records/schema', { query: { type } }, { enabled: type !== '' });
  const fields = [...(schema.data?.fields ?? []), ...own];
  const group: Group = !value
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
        {...{ group, fields, list }}
        depth={1}
        onChange={(next) => onChange(next.conditions.length > 0 ? next : undefined)}
      />
      <Matches where={finished(value)} type={type} />
    </div>
  );
}

interface GroupProps {
  group: Group;
  onChange: (group: Group) => void;
  onRemove?: () => void;
  fields: readonly FieldOfType[];
  /** The id of the list of fields. */
  list: string;
  depth: number;
}

function GroupRows({ group, onChange, onRemove, fields, list, depth }: GroupProps) {
  const { op, conditions } = group;
  const put = (index: number, next: RecordFilter | undefined) =>
    onChange({
      op,
      conditions: conditions.flatMap((each, place) => (place === index ? (next ?? []) : each)),
    });
  const rows = useRef<HTMLFieldSetElement>(null);
  function remove(index: number) {
    put(index, undefined);
    // The button that was pressed is gone: the focus stays near.
    rows.current?.focus();
  }
  const add = (condition: RecordFilter) => onChange({ op, conditions: [...conditions, condition] });
  return (
    <fieldset ref={rows} tabIndex={-1}>
      <legend>{depth === 1 ? 'Filter' : 'Group'}</legend>
      {conditions.length > 1 && (
        <select
          aria-label="How the conditions combine"
          className="records-combine"
          value={op}
          onChange={(event) => onChange({ op: event.target.value as Group['op'], conditions })}
        >
          <option value="and">All of these are true</option>
          <option value="or">Any of these is true</option>
        </select>
      )}
      {conditions.map((condition, index) => {
        const shared = { fields, list, onRemove: () => remove(index) };
        return isGroup(condition) ? (
          <GroupRows
            // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no other identity
            key={index}
            {...shared}
            group={condition}
            depth={depth + 1}
            onChange={(next) => put(index, next)}
          />
        ) : (
          <ConditionRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no other identity
            key={index}
            {...shared}
            condition={condition}
            number={index + 1}
            onChange={(next) => put(index, next)}
          />
        );
      })}
      <div className="records-filter-actions">
        <Button look="quiet" onPress={() => add(noCondition)} isDisabled={conditions.length >= 50}>
          Add a condition
        </Button>
        {depth < nestingMax && (
          <Button
            look="quiet"
            onPress={() => add({ op: op === 'and' ? 'or' : 'and', conditions: [noCondition] })}
            isDisabled={conditions.length >= 50}
          >
            Add a group
          </Button>
        )}
        {onRemove && (
          <Button look="quiet" onPress={onRemove}>
            Remove this group
          </Button>
        )}
      </div>
    </fieldset>
  );
}
