import { useMemo } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { Icon } from '../icon.tsx';
import { useKeptText } from '../kept-choice.ts';

interface Named {
  title: string;
  /** Where two columns may have the same title. */
  id?: string;
}

const idOf = ({ id, title }: Named) => id ?? title;

/**
 * The columns of a list that a person wants to see, kept in their browser, and the menu to choose them.
 * @param fixed How many at the start are always shown, because they say what a row is.
 */
export function useChosenColumns<C extends Named>(label: string, columns: readonly C[], fixed = 1) {
  const [text, setText] = useKeptText(`hidden-columns ${label}`);
  const hidden = useMemo(() => new Set(text ? text.split('\n') : []), [text]);
  const others = columns.slice(fixed);
  const shown = others.filter((column) => !hidden.has(idOf(column)));
  const menu = others.length > 1 && (
    <MenuTrigger>
      <Button aria-label={uiTexts.columnsOf(label)}>
        <Icon name="columns" />
        {uiTexts.columns}
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu
          className="menu-list"
          aria-label={uiTexts.columns}
          selectionMode="multiple"
          selectedKeys={shown.map(idOf)}
          onSelectionChange={(keys) => {
            const chosen = keys === 'all' ? new Set(others.map(idOf)) : keys;
            const left = others.map(idOf).filter((id) => !chosen.has(id));
            setText(left.join('\n'));
          }}
        >
          {others.map((column) => (
            <MenuItem key={idOf(column)} id={idOf(column)} textValue={column.title}>
              <Icon name="check" />
              {column.title}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
  return { columns: [...columns.slice(0, fixed), ...shown], menu };
}
