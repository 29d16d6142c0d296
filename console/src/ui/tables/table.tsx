import { Cells, Head, type Rows } from './table-rows.tsx';

export type { Column } from './table-rows.tsx';

/** A short list: every row is in the page. */
export const Table = <Row,>({ label, columns, keyOf, rows }: Rows<Row> & { rows: readonly Row[] }) => (
  <div className="table-box">
    <table aria-label={label}>
      <Head columns={columns} />
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            <Cells columns={columns} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
