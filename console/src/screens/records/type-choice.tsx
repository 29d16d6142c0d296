import { useState } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Choice } from '../../ui/forms/choice.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import { count } from '../../ui/values/format.ts';

interface Props {
  label: string;
  known: AnswerOf<'GET /v1/records/types'>;
  value: string;
  onChange: (type: string) => void;
  /** What the choice of no type is called. Without it, there is always a type. */
  none?: string;
}

/** A type of records: one of the newest records, or one that somebody names. */
export function TypeChoice({ label, known, value, onChange, none }: Props) {
  const [other, setOther] = useState('');
  const types = known.types.map(({ type }) => type);
  const named = value === '' || types.includes(value) ? [] : [value];
  const options = [...types, ...named].map((type) => ({ value: type, label: type }));
  return (
    <>
      <Choice
        label={label}
        value={value}
        options={none === undefined ? options : [{ value: '', label: none }, ...options]}
        onChange={onChange}
      />
      {known.truncated && (
        <div className="list-item">
          <TextField
            label="Other type"
            help={`The list has the types of the newest ${count(known.recordsRead)} records`}
            value={other}
            onChange={setOther}
          />
          <Button
            isDisabled={other.trim() === ''}
            onPress={() => {
              onChange(other.trim());
              setOther('');
            }}
          >
            Use type
          </Button>
        </div>
      )}
    </>
  );
}
