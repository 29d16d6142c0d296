import { useEffect, useState } from 'react';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { CheckField } from '../../ui/forms/check.tsx';
import { TextField } from '../../ui/forms/field.tsx';
import type { TableAddress } from './address.ts';
import { FilterBuilder } from './filters/filter-builder.tsx';
import { conditionsIn, type FieldOfType, finished } from './filters/filters.ts';

interface Props {
  type: string;
  address: TableAddress;
  setAddress: (changes: Partial<TableAddress>) => void;
  fields: readonly FieldOfType[];
  shown: readonly string[];
}

/** Search, filter and columns of a table. */
export function TableTools({ type, address, setAddress, fields, shown }: Props) {
  const [search, setSearch, keepSearch] = useDraft(address.search, (kept) => setAddress({ search: kept }));
  const [where, setWhere, keepWhere] = useDraft(address.where, (kept) => setAddress({ where: kept }));
  useEffect(() => {
    const timer = setTimeout(() => search !== address.search && keepSearch(search), 300);
    return () => clearTimeout(timer);
  });
  const names = [...new Set([...shown, ...fields.map(({ name }) => name)])];
  const toggle = (name: string, isOn: boolean) =>
    setAddress({ columns: isOn ? [...shown, name] : shown.filter((each) => each !== name) });
  const conditions = conditionsIn(address.where);
  const [isFiltering, setFiltering] = useState(conditions > 0);
  return (
    <>
      <div className="records-tools">
        <TextField
          label={sharedTexts.search}
          type="search"
          placeholder={sharedTexts.nameContains}
          maxLength={500}
          value={search}
          onChange={setSearch}
        />
      </div>
      <details
        className="records-panel"
        open={isFiltering}
        onToggle={({ currentTarget }) => setFiltering(currentTarget.open)}
      >
        <summary>{conditions > 0 ? recordTexts.filterCount(conditions) : recordTexts.filter}</summary>
        {isFiltering && <FilterBuilder type={type} value={where} onChange={setWhere} />}
        <div className="actions">
          <Button look="primary" onPress={() => keepWhere(finished(where))}>
            {recordTexts.applyFilter}
          </Button>
          <Button
            onPress={() => {
              setWhere(undefined);
              keepWhere(undefined);
            }}
          >
            {sharedTexts.showAll}
          </Button>
        </div>
      </details>
      <details className="records-panel">
        <summary>{recordTexts.columnsCount(shown.length)}</summary>
        <div className="records-columns">
          {names.map((name) => (
            <CheckField
              key={name}
              label={<bdi>{name}</bdi>}
              isOn={shown.includes(name)}
              onChange={(isOn) => toggle(name, isOn)}
            />
          ))}
        </div>
      </details>
    </>
  );
}

/**
 * What somebody writes until it is kept. What is kept takes its place when it changes otherwise, as by a link.
 *
 * @returns the draft, how to change it, and how to keep a value.
 */
function useDraft<Value>(kept: Value, keep: (value: Value) => void) {
  const text = JSON.stringify(kept);
  const [draft, setDraft] = useState(kept);
  const [before, setSeen] = useState(text);
  const [sent, setSent] = useState<string>();
  if (before !== text) {
    setSeen(text);
    setSent(undefined);
    if (text !== sent) setDraft(kept);
  }
  function keepIt(value: Value) {
    setSent(JSON.stringify(value));
    keep(value);
  }
  return [draft, setDraft, keepIt] as const;
}
