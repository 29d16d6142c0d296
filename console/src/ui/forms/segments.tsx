import { useId } from 'react';
import '../../style/segments.css';

interface Props<Value extends string> {
  /** For screen readers. */
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; words?: string }[];
  onChange: (value: Value) => void;
}

/** One of a few short values, side by side: radio buttons of the browser. */
export function Segments<Value extends string>({ label, value, options, onChange }: Props<Value>) {
  const name = useId();
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            {...(option.words && { 'aria-label': option.words })}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
