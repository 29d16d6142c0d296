import { useState } from 'react';
import { Autocomplete, Input, Label, Menu, MenuItem, SearchField, useFilter } from 'react-aria-components';
import { runListTexts } from '../../../texts/run-list.ts';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { filterField, filterProblem } from '../data/filters.ts';
import type { EditorProps } from './filter-editor.tsx';
import { useNamed } from './use-name-of.ts';

/** Chooses by name, where the API has a list, or takes an id that somebody pastes. */
export function IdPicker({ name, onApply }: EditorProps) {
  const { label, prefixes = [] } = filterField(name);
  const { contains } = useFilter({ sensitivity: 'base' });
  const [text, setText] = useState('');
  const { items, isLoading } = useNamed(name);
  const given = text.trim();
  const isId = filterProblem(name, given) === undefined && !items.some(({ id }) => id === given);
  const offered = isId ? [{ id: given, name: runListTexts.use(given) }] : items;
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
        renderEmptyState={() => <p className="help">{given ? runListTexts.noMatch : ''}</p>}
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
