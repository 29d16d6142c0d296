import type { ReactNode } from 'react';
import { useId } from 'react';
import { Help } from './help.tsx';

interface Props<Value extends string> {
  label: ReactNode;
  value: Value;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
  help?: ReactNode;
  problem?: string | undefined;
  isDisabled?: boolean;
}

/** One of a few values. The browser's own list: it works with every keyboard, screen reader and phone. */
export function Choice<Value extends string>({
  label,
  value,
  options,
  onChange,
  help,
  problem,
  isDisabled,
}: Props<Value>) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        disabled={isDisabled}
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-help`}
        onChange={(event) => onChange(event.target.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <div id={`${id}-help`}>
        {help && (
          <span className="help">
            <Help>{help}</Help>
          </span>
        )}
        {problem && <span className="problem">{problem}</span>}
      </div>
    </div>
  );
}
