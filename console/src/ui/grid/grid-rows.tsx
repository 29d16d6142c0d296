import type { ReactNode } from 'react';
import { SelectAllBox, SelectBox } from '../selection/select-box.tsx';
import type { RowSelection } from '../selection/use-selection.ts';

export interface GridColumn<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** As in CSS. Without one, a column takes what is left. */
  width?: string;
  isNumber?: boolean;
  /** Shows a `StatusMark`, of which a narrow list has the icon alone. */
  isStatus?: boolean;
  /** How wide the list has to be to show it. Default: always. */
  from?: 'small' | 'medium' | 'large';
}

const classOf = <Row,>({ from, isNumber, isStatus }: GridColumn<Row>) =>
  [from && `from-${from}`, isNumber && 'number', isStatus && 'grid-status'].filter(Boolean).join(' ') ||
  undefined;

const ownPress = 'a, button, .select-cell';

interface HeadProps<Row> {
  columns: readonly GridColumn<Row>[];
  selection: RowSelection<Row> | undefined;
}

export const GridHead = <Row,>({ columns, selection }: HeadProps<Row>) => (
  <thead>
    <tr>
      {selection && (
        <th scope="col" className="select-cell">
          <SelectAllBox selection={selection} isInGrid />
        </th>
      )}
      {columns.map((column) => (
        <th
          key={column.title}
          scope="col"
          className={classOf(column)}
          style={{ '--width': column.width } as object}
        >
          {column.title}
        </th>
      ))}
    </tr>
  </thead>
);

interface Props<Row> extends HeadProps<Row> {
  id: string;
  /** Of the row. */
  rowKey: string;
  index: number;
  row: Row;
  isActive: boolean;
  isPreviewed: boolean;
  onPress: () => void;
}

export const GridRow = <Row,>({ rowKey, selection, columns, row, ...props }: Props<Row>) => (
  <tr
    id={props.id}
    aria-rowindex={props.index + 2}
    aria-selected={selection ? selection.ids.has(rowKey) : undefined}
    aria-current={props.isPreviewed || undefined}
    data-active={props.isActive || undefined}
    onClick={({ target }) => {
      // A link or a button in a row does what it says; a text that somebody marks is no click.
      if ((target as Element).closest(ownPress) || window.getSelection()?.type === 'Range') return;
      props.onPress();
    }}
  >
    {selection && (
      <td className="select-cell">
        <SelectBox selection={selection} id={rowKey} row={row} isInGrid />
      </td>
    )}
    {columns.map((column) => (
      <td key={column.title} className={classOf(column)}>
        {column.cell(row)}
      </td>
    ))}
  </tr>
);
