import { useId } from 'react';
import { isMoment } from '../data/filter-kinds.ts';

interface Props {
  label: string;
  /** With its zone. */
  value: string;
  onChange: (value: string) => void;
  problem: string | undefined;
}

/** A date and a time of where the person is. */
export function MomentField({ label, value, onChange, problem }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="datetime-local"
        defaultValue={isMoment(value) ? localOf(new Date(value)) : ''}
        aria-invalid={problem !== undefined}
        onChange={({ target }) => onChange(target.value && new Date(target.value).toISOString())}
      />
      {problem && <span className="problem">{problem}</span>}
    </div>
  );
}

/** Without a zone, as the field has it. */
const localOf = (at: Date) =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
