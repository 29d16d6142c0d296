import { useEffect, useRef } from 'react';
import { recordTexts } from '../../../texts/records.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import {
  type Condition,
  type FieldOfType,
  type Operator,
  operatorNames,
  operatorsFor,
  takesList,
  takesValue,
} from './filters.ts';

interface Props {
  condition: Condition;
  number: number;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
  fields: readonly FieldOfType[];
  list: string;
}

/** A field, what is asked of it, and the value to compare with. */
export function ConditionRow({ condition, number, onChange, onRemove, fields, list }: Props) {
  const { field, op } = condition;
  const input = useRef<HTMLInputElement>(null);
  const isNew = useRef(field === '');
  // Somebody who adds a condition goes on with its field.
  useEffect(() => {
    if (isNew.current) input.current?.focus();
  }, []);
  const chosen = fields.find(({ name }) => name === field);
  const offered = operatorsFor(chosen?.types);
  const operators = offered.includes(op) ? offered : [op, ...offered];
  return (
    <div className="records-condition">
      <input
        ref={input}
        aria-label={recordTexts.fieldOfCondition(number)}
        placeholder={recordTexts.field}
        list={list}
        value={field}
        maxLength={128}
        onChange={({ target }) => onChange({ ...condition, field: target.value })}
      />
      <select
        aria-label={recordTexts.operatorOfCondition(number)}
        value={op}
        onChange={({ target }) => onChange(changed(condition, target.value as Operator))}
      >
        {operators.map((each) => (
          <option key={each} value={each}>
            {operatorNames[each]}
          </option>
        ))}
      </select>
      <div className="records-values">
        <ConditionValue condition={condition} number={number} onChange={onChange} />
      </div>
      <Button look="quiet" aria-label={recordTexts.removeCondition(number)} onPress={onRemove}>
        ×
      </Button>
    </div>
  );
}

function ConditionValue({ condition, number, onChange }: Pick<Props, 'condition' | 'number' | 'onChange'>) {
  const { op, value } = condition;
  if (!takesValue(op)) return null;
  const input = (
    label: (number: number) => string,
    shown: unknown,
    set: (text: string) => void,
    placeholder: string,
  ) => (
    <input
      aria-label={label(number)}
      placeholder={placeholder}
      value={typeof shown === 'string' ? shown : String(shown ?? '')}
      onChange={({ target }) => set(target.value)}
    />
  );
  if (op === 'between') {
    const [low, high] = Array.isArray(value) ? value : ['', ''];
    return (
      <>
        {input(
          recordTexts.lowestValueOfCondition,
          low,
          (text) => onChange({ ...condition, value: [text, high] }),
          recordTexts.from,
        )}
        {input(
          recordTexts.highestValueOfCondition,
          high,
          (text) => onChange({ ...condition, value: [low, text] }),
          recordTexts.to,
        )}
      </>
    );
  }
  if (takesList(op)) {
    const shown = Array.isArray(value) ? value.join(', ') : value;
    const set = (text: string) => onChange({ ...condition, value: text.split(/,\s?/) });
    return input(recordTexts.valuesOfCondition, shown, set, recordTexts.separatedByCommas);
  }
  return input(
    recordTexts.valueOfCondition,
    value,
    (text) => onChange({ ...condition, value: text }),
    sharedTexts.value,
  );
}

/** The condition with another operator, and a value of the form that this one takes. */
function changed({ field, op: before, value }: Condition, op: Operator): Condition {
  if (!takesValue(op)) return { field, op };
  if (op === 'between') return { field, op, value: ['', ''] };
  if (takesList(op)) return { field, op, value: takesList(before) ? value : [String(value ?? '')] };
  return { field, op, value: Array.isArray(value) ? String(value[0] ?? '') : (value ?? '') };
}
