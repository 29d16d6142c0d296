import { useState } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { runListTexts } from '../../../texts/run-list.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { type FilterName, filterField, filterNames, type RunFilters } from '../data/filters.ts';
import { FilterChip } from './filter-chip.tsx';

interface Props {
  filters: RunFilters;
  onChange: (name: FilterName, value: string | undefined) => void;
  onClear: () => void;
}

/** Offered without a menu. */
const frequent: readonly FilterName[] = ['status', 'kind', 'started'];

/** The filters of the list as chips. Those that are used most are there before they are set. */
export function FilterBar({ filters, onChange, onClear }: Props) {
  const [edited, setEdited] = useState<FilterName>();
  const set = filterNames.filter((name) => filters[name] !== undefined);
  const shown = filterNames.filter(
    (name) => set.includes(name) || frequent.includes(name) || name === edited,
  );
  const rest = filterNames.filter((name) => !shown.includes(name));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div role="group" aria-label={runListTexts.filters} className="filter-bar">
      {shown.map((name) => (
        <FilterChip
          key={name}
          name={name}
          value={filters[name]}
          isOpen={edited === name}
          onOpen={(isOpen) => setEdited(isOpen ? name : undefined)}
          onChange={(value) => {
            setEdited(undefined);
            if (value !== filters[name]) onChange(name, value);
          }}
        />
      ))}
      {rest.length > 0 && (
        <MenuTrigger>
          <Button look="quiet">{runListTexts.addFilter}</Button>
          <Popover className="popover">
            <Menu
              className="menu-list"
              aria-label={runListTexts.addFilter}
              onAction={(key) => setEdited(key as FilterName)}
            >
              {rest.map((name) => (
                <MenuItem key={name} id={name} className="menu-item">
                  {filterField(name).label}
                </MenuItem>
              ))}
            </Menu>
          </Popover>
        </MenuTrigger>
      )}
      {set.length > 0 && (
        <Button look="quiet" onPress={onClear}>
          {runListTexts.clearFilters}
        </Button>
      )}
    </div>
  );
}
