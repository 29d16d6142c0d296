import { recordTexts } from '../../../texts/records.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { parseExactly } from '../../../ui/values/exact-json.ts';

export interface FieldChange {
  field: string;
  kind: 'text' | 'json' | 'remove';
  value: string;
}

const kinds = { text: recordTexts.setToText, json: recordTexts.setToJson, remove: recordTexts.removeField };

/** The members of a bulk edit. @throws an error that names the field whose JSON is none. */
export function bulkEditMembers(changes: readonly FieldChange[]) {
  const named = changes.filter(({ field }) => field !== '');
  const sets = named.filter(({ kind }) => kind !== 'remove');
  return {
    updates: Object.fromEntries(sets.map((change) => [change.field, parsedOf(change)])),
    deleteFields: named.filter(({ kind }) => kind === 'remove').map(({ field }) => field),
  };
}

function parsedOf({ field, kind, value }: FieldChange): unknown {
  if (kind === 'text') return value;
  try {
    return parseExactly(value);
  } catch (error) {
    throw new Error(recordTexts.valueIsNotJson(field, (error as Error).message));
  }
}

interface Props {
  changes: readonly FieldChange[];
  onChange: (changes: FieldChange[]) => void;
}

export function ChangeRows({ changes, onChange }: Props) {
  const put = (index: number, next: Partial<FieldChange>) =>
    onChange(changes.map((each, place) => (place === index ? { ...each, ...next } : each)));
  return (
    <fieldset>
      <legend>{sharedTexts.changes}</legend>
      {changes.map(({ field, kind, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a change has no other identity
        <div key={index} className="records-change">
          <input
            aria-label={recordTexts.fieldOfChange(index + 1)}
            placeholder={recordTexts.field}
            value={field}
            onChange={({ target }) => put(index, { field: target.value })}
          />
          <select
            aria-label={recordTexts.kindOfChange(index + 1)}
            value={kind}
            onChange={({ target }) => put(index, { kind: target.value as FieldChange['kind'] })}
          >
            {Object.entries(kinds).map(([each, label]) => (
              <option key={each} value={each}>
                {label}
              </option>
            ))}
          </select>
          {kind !== 'remove' && (
            <input
              aria-label={recordTexts.valueOfChange(index + 1)}
              placeholder={sharedTexts.value}
              value={value}
              onChange={({ target }) => put(index, { value: target.value })}
            />
          )}
          <Button
            look="quiet"
            aria-label={recordTexts.removeChange(index + 1)}
            isDisabled={changes.length === 1}
            onPress={() => onChange(changes.filter((_, place) => place !== index))}
          >
            ×
          </Button>
        </div>
      ))}
      <Button look="quiet" onPress={() => onChange([...changes, { field: '', kind: 'text', value: '' }])}>
        {recordTexts.addChange}
      </Button>
    </fieldset>
  );
}
