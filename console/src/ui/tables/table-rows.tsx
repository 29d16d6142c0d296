import type { ReactNode } from 'react';
import { SelectAllBox, SelectBox } from '../selection/select-box.tsx';
import type { RowSelection } from '../selection/use-selection.ts';
import { CopyId } from '../values/copy-id.tsx';

export interface TableColumn<Row> {
  title: string;
  /** Where two columns may have the same title. */
  id?: string;
  cell: (row: Row) => ReactNode;
  /** Hidden on phones. */
  isExtra?: boolean;
  isNumber?: boolean;
  /** `wide` has place for some buttons in a line. Default: as wide as the others of its kind. */
  width?: 'narrow' | 'wide';
}

export interface Rows<Row> {
  /** The name of the table for screen readers. */
  label: string;
  columns: readonly TableColumn<Row>[];
  keyOf: (row: Row) => string;
  /** What the button is called that copies the ID of a row, if its key is one. It stands beside the first column. */
  copyId?: string | undefined;
  /** Which rows are selected, where one can do something with many. */
  selection?: RowSelection<Row> | undefined;
}

export const Head = <Row,>({ columns, selection }: Pick<Rows<Row>, 'columns' | 'selection'>) => (
  <thead>
    <tr>
      {selection && (
        <th scope="col" className="select-cell">
          <SelectAllBox selection={selection} />
        </th>
      )}
      {columns.map((column) => (
        <th key={column.id ?? column.title} scope="col" className={classOf(column)}>
          {column.title}
        </th>
      ))}
    </tr>
  </thead>
);

type CellsProps<Row> = Omit<Rows<Row>, 'label'> & { row: Row };

export const Cells = <Row,>({ selection, ...cells }: CellsProps<Row>) => (
  <>
    {selection && (
      <td className="select-cell">
        <SelectBox selection={selection} id={cells.keyOf(cells.row)} row={cells.row} />
      </td>
    )}
    <OwnCells {...cells} />
  </>
);

const OwnCells = <Row,>({ columns, keyOf, copyId, row }: CellsProps<Row>) =>
  columns.map((column, place) => (
    <td key={column.id ?? column.title} className={classOf(column)}>
      {place === 0 && copyId ? (
        <div className="cell-with-id">
          <div className="cell">{column.cell(row)}</div>
          <CopyId id={keyOf(row)} label={copyId} />
        </div>
      ) : (
        <div className="cell">{column.cell(row)}</div>
      )}
    </td>
  ));

const classOf = <Row,>({ isExtra, isNumber, width }: TableColumn<Row>) =>
  [isExtra && 'extra', isNumber && 'number', width].filter(Boolean).join(' ') || undefined;
