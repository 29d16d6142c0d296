import { useRef } from 'react';
import { recordTexts } from '../../../texts/records.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { ConditionRow } from './condition-row.tsx';
import { type FieldOfType, type FilterGroup, isGroup, type RecordFilter } from './filters.ts';

const nestingMax = 3;
const noCondition: RecordFilter = { field: '', op: 'eq', value: '' };

interface GroupProps {
  group: FilterGroup;
  onChange: (group: FilterGroup) => void;
  onRemove?: () => void;
  fields: readonly FieldOfType[];
  /** The id of the list of fields. */
  list: string;
  depth: number;
}

/** The conditions of a group, with the groups in it. */
export function GroupRows({ group, onChange, onRemove, fields, list, depth }: GroupProps) {
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
      <legend>{depth === 1 ? recordTexts.filter : recordTexts.group}</legend>
      {conditions.length > 1 && (
        <select
          aria-label={recordTexts.howConditionsCombine}
          className="records-combine"
          value={op}
          onChange={(event) => onChange({ op: event.target.value as FilterGroup['op'], conditions })}
        >
          <option value="and">{recordTexts.allAreTrue}</option>
          <option value="or">{recordTexts.anyIsTrue}</option>
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
          {recordTexts.addCondition}
        </Button>
        {depth < nestingMax && (
          <Button
            look="quiet"
            onPress={() => add({ op: op === 'and' ? 'or' : 'and', conditions: [noCondition] })}
            isDisabled={conditions.length >= 50}
          >
            {recordTexts.addGroup}
          </Button>
        )}
        {onRemove && (
          <Button look="quiet" onPress={onRemove}>
            {recordTexts.removeGroup}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
