import { useState } from 'react';
import { TextField } from '../forms/field.tsx';

interface Props {
  label: string;
  help: string | undefined;
  problem: string | undefined;
  isRequired: boolean;
  isWhole: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** Keeps the text as one types it, such as `0.0`; what is not a number is passed on, so that the API's answer can say so. */
export function NumberField({ isWhole, value, onChange, ...props }: Props) {
  const [text, setText] = useState(textOf(value));
  // The value changed elsewhere, by an undo for instance.
  const shown = numberOf(text) === (value ?? undefined) ? text : textOf(value);
  return (
    <TextField
      {...props}
      inputMode={isWhole ? 'numeric' : 'decimal'}
      value={shown}
      onChange={(next) => {
        setText(next);
        onChange(numberOf(next));
      }}
    />
  );
}

const textOf = (value: unknown) => (value === undefined || value === null ? '' : String(value));

function numberOf(text: string): number | string | undefined {
  if (text === '') return undefined;
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
