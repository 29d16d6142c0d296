import { Cells, Head, type Rows } from './table-rows.tsx';

export type { TableColumn } from './table-rows.tsx';

/** A short list: every row is in the page. */
export const Table = <Row,>({ label, rows, ...cells }: Rows<Row> & { rows: readonly Row[] }) => (
  <div className="table-box">
    <table aria-label={label}>
      <Head {...cells} />
      <tbody>
        {rows.map((row) => (
          <tr key={cells.keyOf(row)}>
            <Cells {...cells} row={row} />
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
