import { useState } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { recordTexts } from '../../texts/records.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Choice } from '../../ui/forms/choice.tsx';
import { TextField } from '../../ui/forms/field.tsx';

interface Props {
  label: string;
  known: OperationResponse<'records.types'>;
  value: string;
  onChange: (type: string) => void;
}

/** A type of records: one of the newest records, or one that somebody names. */
export function TypeChoice({ label, known: recordTypes, value, onChange }: Props) {
  const [other, setOther] = useState('');
  const types = recordTypes.types.map(({ type }) => type);
  const named = value === '' || types.includes(value) ? [] : [value];
  const options = [...types, ...named].map((type) => ({ value: type, label: type }));
  return (
    <>
      <Choice label={label} value={value} options={options} onChange={onChange} />
      {recordTypes.truncated && (
        <div className="list-item">
          <TextField
            label={recordTexts.otherType}
            help={recordTexts.typesOfNewest(recordTypes.recordsRead)}
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
            {recordTexts.useType}
          </Button>
        </div>
      )}
    </>
  );
}
