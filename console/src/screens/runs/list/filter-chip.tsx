import { Button as AriaButton, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { runListTexts } from '../../../texts/run-list.ts';
import { type FilterName, filterField, shownValue } from '../data/filters.ts';
import { FilterEditor } from './filter-editor.tsx';
import { useResourceName } from './use-name-of.ts';

interface Props {
  name: FilterName;
  /** Undefined until it is set. */
  value: string | undefined;
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
  onChange: (value: string | undefined) => void;
}

/** `Status: failed ×`. Pressed, it offers other values. */
export function FilterChip({ name, value, isOpen, onOpen, onChange }: Props) {
  const { label } = filterField(name);
  const known = useResourceName(name, value);
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
              <bdi>{known ?? shownValue(name, value)}</bdi>
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
