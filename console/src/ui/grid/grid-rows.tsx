import type { ReactNode } from 'react';

export interface GridColumn<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
  /** As in CSS. Without one, a column takes what is left. */
  width?: string;
  isNumber?: boolean;
  /** How wide the list has to be to show it. Default: always. */
  from?: 'small' | 'medium' | 'large';
}

const classOf = <Row,>({ from, isNumber }: GridColumn<Row>) =>
  [from && `from-${from}`, isNumber && 'number'].filter(Boolean).join(' ') || undefined;

export const GridHead = <Row,>({ columns }: { columns: readonly GridColumn<Row>[] }) => (
  <thead>
    <tr>
      {columns.map((column) => (
        <th key={column.title} scope="col" className={classOf(column)} style={{ width: column.width }}>
          {column.title}
        </th>
      ))}
    </tr>
  </thead>
);

interface Props<Row> {
  id: string;
  index: number;
  columns: readonly GridColumn<Row>[];
  row: Row;
  isActive: boolean;
  isPreviewed: boolean;
  onPress: () => void;
}

export const GridRow = <Row,>({ id, index, columns, row, isActive, isPreviewed, onPress }: Props<Row>) => (
  <tr
    id={id}
    aria-rowindex={index + 2}
    aria-selected={isPreviewed}
    data-active={isActive || undefined}
    onClick={({ target }) => {
      // A link or a button in a row does what it says; a text that somebody marks is no click.
      if ((target as Element).closest('a, button') || window.getSelection()?.type === 'Range') return;
      onPress();
    }}
  >
    {columns.map((column) => (
      <td key={column.title} className={classOf(column)}>
        {column.cell(row)}
      </td>
    ))}
  </tr>
);
