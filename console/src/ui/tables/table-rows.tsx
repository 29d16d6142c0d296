import type { ReactNode } from 'react';
import { CopyId } from '../values/copy-id.tsx';

export interface Column<Row> {
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
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** What the button is called that copies the ID of a row, if its key is one. It stands beside the first column. */
  copyId?: string | undefined;
}

export const Head = <Row,>({ columns }: Pick<Rows<Row>, 'columns'>) => (
  <thead>
    <tr>
      {columns.map((column) => (
        <th key={column.id ?? column.title} scope="col" className={classOf(column)}>
          {column.title}
        </th>
      ))}
    </tr>
  </thead>
);

export const Cells = <Row,>({ columns, keyOf, copyId, row }: Omit<Rows<Row>, 'label'> & { row: Row }) =>
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

const classOf = <Row,>({ isExtra, isNumber, width }: Column<Row>) =>
  [isExtra && 'extra', isNumber && 'number', width].filter(Boolean).join(' ') || undefined;
