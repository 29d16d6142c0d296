import { useState } from 'react';
import {
  Button as AriaButton,
  Dialog,
  DialogTrigger,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
} from 'react-aria-components';
import { runListTexts } from '../../../texts/run-list.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { type FilterName, filterField, filterNames, type RunFilters, shownValue } from '../data/filters.ts';
import { FilterEditor } from './filter-editor.tsx';
import { useResourceName } from './use-name-of.ts';

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

interface FilterChipProps {
  name: FilterName;
  /** Undefined until it is set. */
  value: string | undefined;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChange: (value: string | undefined) => void;
}

/** `Status: failed ×`. Pressed, it offers other values. */
function FilterChip({ name, value, isOpen, onOpen, onChange }: FilterChipProps) {
  const { label } = filterField(name);
  const resource = useResourceName(name, value);
  return (
    <span className={value === undefined ? 'chip offered' : 'chip'}>
      <DialogTrigger isOpen={isOpen} onOpenChange={onOpen}>
        <AriaButton className="chip-part">
          {value === undefined ? (
            <>
              <span aria-hidden="true">+ </span>
              {label}
            </>
          ) : (
            <>
              <span className="chip-name">{label}: </span>
              <bdi>{resource ?? shownValue(name, value)}</bdi>
            </>
          )}
        </AriaButton>
        <Popover className="popover" placement="bottom start">
          <Dialog className="popover-dialog" aria-label={label}>
            <FilterEditor name={name} value={value} onApply={onChange} />
          </Dialog>
        </Popover>
      </DialogTrigger>
      {value !== undefined && (
        <AriaButton
          className="chip-part chip-remove"
          aria-label={runListTexts.removeFilter(label)}
          onPress={() => onChange(undefined)}
        >
          ×
        </AriaButton>
      )}
    </span>
  );
}
