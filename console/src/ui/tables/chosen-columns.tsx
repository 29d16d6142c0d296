import { useMemo } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { uiTexts } from '../../texts/ui.ts';
import { Button } from '../forms/button.tsx';
import { Icon } from '../icon.tsx';
import { useKeptText } from '../kept-choice.ts';
import type { Column } from './table-rows.tsx';

const idOf = <Row,>({ id, title }: Column<Row>) => id ?? title;

/** The columns of a list that a person wants to see, kept in their browser, and the menu to choose them. */
export function useChosenColumns<Row>(label: string, columns: readonly Column<Row>[]) {
  const [text, setText] = useKeptText(`hidden-columns ${label}`);
  const hidden = useMemo(() => new Set(text ? text.split('\n') : []), [text]);
  // The first one says what a row is.
  const [first, ...others] = columns;
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
  return { columns: first ? [first, ...shown] : shown, menu };
}
