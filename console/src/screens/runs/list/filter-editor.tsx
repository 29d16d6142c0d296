import { type FormEvent, useId, useState } from 'react';
import { Autocomplete, Input, Label, Menu, MenuItem, SearchField, useFilter } from 'react-aria-components';
import { runListTexts } from '../../../texts/run-list.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { isMoment } from '../data/filter-kinds.ts';
import { type FilterName, filterField, filterProblem } from '../data/filters.ts';
import { useNamed } from './use-name-of.ts';

interface EditorProps {
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
  const chosenValues = (value?.split(',') ?? []).filter((each) =>
    options.some((option) => option.value === each),
  );
  const [chosen, setChosen] = useState<readonly string[]>(chosenValues);
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

/** Chooses by name, where the API has a list, or takes an id that somebody pastes. */
function IdPicker({ name, onApply }: EditorProps) {
  const { label, prefixes = [] } = filterField(name);
  const { contains } = useFilter({ sensitivity: 'base' });
  const [text, setText] = useState('');
  const { items, isLoading } = useNamed(name);
  const entered = text.trim();
  const isId = filterProblem(name, entered) === undefined && !items.some(({ id }) => id === entered);
  const offered = isId ? [{ id: entered, name: runListTexts.use(entered) }] : items;
  return (
    <Autocomplete
      inputValue={text}
      onInputChange={setText}
      filter={(shown, typed) => isId || contains(shown, typed.trim())}
    >
      <SearchField className="field" autoFocus>
        <Label>{label}</Label>
        <Input
          placeholder={
            items.length > 0 ? runListTexts.searchOrPasteId : runListTexts.pasteId(prefixes[0] ?? '')
          }
        />
      </SearchField>
      {isLoading && <Loading />}
      <Menu
        className="menu-list"
        aria-label={label}
        items={offered}
        onAction={(key) => onApply(String(key))}
        renderEmptyState={() => <p className="help">{entered ? runListTexts.noMatch : ''}</p>}
      >
        {(item) => (
          <MenuItem id={item.id} textValue={`${item.name} ${item.id}`} className="menu-item">
            <bdi>{item.name}</bdi>
          </MenuItem>
        )}
      </Menu>
    </Autocomplete>
  );
}

interface Props {
  label: string;
  /** With its zone. */
  value: string;
  onChange: (value: string) => void;
  problem: string | undefined;
}

/** A date and a time of where the person is. */
function MomentField({ label, value, onChange, problem }: Props) {
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
