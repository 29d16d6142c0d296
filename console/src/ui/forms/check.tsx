import type { ReactNode } from 'react';
import { useId } from 'react';
import { Help } from './help.tsx';

interface Props {
  label: ReactNode;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
  help?: ReactNode;
  isDisabled?: boolean;
}

/** Yes or no. */
export function CheckField({ label, isOn, onChange, help, isDisabled }: Props) {
  const id = useId();
  return (
    <div className="check">
      <input
        id={id}
        type="checkbox"
        checked={isOn}
        disabled={isDisabled}
        aria-describedby={help ? `${id}-help` : undefined}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id}>{label}</label>
      {help && (
        <span id={`${id}-help`} className="help">
          <Help>{help}</Help>
        </span>
      )}
    </div>
  );
}
