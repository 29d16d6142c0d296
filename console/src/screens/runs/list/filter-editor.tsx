import { type FormEvent, useState } from 'react';
import { runListTexts } from '../../../texts/run-list.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { type FilterName, filterField, filterProblem } from '../data/filters.ts';
import { IdPicker } from './id-picker.tsx';
import { MomentField } from './moment-field.tsx';

export interface EditorProps {
  name: FilterName;
  value: string | undefined;
  onApply: (value: string | undefined) => void;
}

/** The values of one filter, as its kind needs them. */
export function FilterEditor(props: EditorProps) {
  const { kind } = filterField(props.name);
  if (kind === 'names') return <NamesEditor {...props} />;
  if (kind === 'range') return <RangeEditor {...props} />;
  if (kind === 'id') return <IdPicker {...props} />;
  return <TextEditor {...props} />;
}

function NamesEditor({ name, value, onApply }: EditorProps) {
  const { label, options = [], help } = filterField(name);
  const known = (value?.split(',') ?? []).filter((each) => options.some((option) => option.value === each));
  const [chosen, setChosen] = useState<readonly string[]>(known);
  function submit(event: FormEvent) {
    event.preventDefault();
    // In one order, so that the same choice is the same address.
    const values = options.map((option) => option.value).filter((each) => chosen.includes(each));
    onApply(values.length > 0 ? values.join(',') : undefined);
  }
  return (
    <form onSubmit={submit} className="filter-form">
      <fieldset className="filter-options">
        <legend>{label}</legend>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={({ target: { checked } }) =>
                setChosen(
                  checked ? [...chosen, option.value] : chosen.filter((each) => each !== option.value),
                )
              }
            />
            {option.label}
          </label>
        ))}
      </fieldset>
      {help && <p className="help">{help}</p>}
      <Button type="submit" look="primary">
        {runListTexts.apply}
      </Button>
    </form>
  );
}

const RangeEditor = ({ name, value, onApply }: EditorProps) => (
  <ul className="filter-choices">
    {(filterField(name).options ?? []).map((option) => (
      <li key={option.value}>
        <Button
          look="quiet"
          {...(option.value === value && { 'aria-pressed': true })}
          onPress={() => onApply(option.value)}
        >
          {option.label}
        </Button>
      </li>
    ))}
  </ul>
);

function TextEditor({ name, value, onApply }: EditorProps) {
  const { label, kind, help } = filterField(name);
  const [text, setText] = useState(value ?? '');
  const [isSent, setSent] = useState(false);
  const problem = filterProblem(name, text);
  function submit(event: FormEvent) {
    event.preventDefault();
    setSent(true);
    if (!problem) onApply(text);
  }
  const shared = { label, problem: isSent ? problem : undefined };
  return (
    <form onSubmit={submit} className="filter-form">
      {kind === 'moment' ? (
        <MomentField {...shared} value={text} onChange={setText} />
      ) : (
        <TextField {...shared} help={help} value={text} onChange={setText} autoFocus />
      )}
      <Button type="submit" look="primary">
        {runListTexts.apply}
      </Button>
    </form>
  );
}
