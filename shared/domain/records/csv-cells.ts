/** What a spreadsheet takes for the beginning of a formula (OWASP, "CSV Injection"), after any apostrophes. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const escaped = /^'+[=+\-@\t\r\n＝＋－＠]/;
/** A formula that is nothing but its own value, and that spreadsheets should go on to compute with. */
const signedNumber = /^[+-]\d+(\.\d+)?$/;

/** A text as a cell that no spreadsheet takes for a formula. */
export const cellOf = (text: string) => (formula.test(text) && !signedNumber.test(text) ? `'${text}` : text);

/** The text that a cell stands for. */
export const textOf = (cell: string) => (escaped.test(cell) ? cell.slice(1) : cell);

/** The columns of the record itself. A key of the metadata that is called the same has a longer name. */
const ownColumns = ['name', 'type'] as const;
const prefix = 'metadata.';
const isLike = (key: string, own: string) =>
  /^(metadata\.)*$/.test(key.slice(0, -own.length)) && key.endsWith(own);

export const columnOf = (key: string) => (ownColumns.some((own) => isLike(key, own)) ? prefix + key : key);

/** The metadata key of a column, in a file that has these of the record's own columns. */
export const keyOf = (column: string, own: readonly (string | undefined)[]) =>
  column.startsWith(prefix) && ownColumns.some((name) => own.includes(name) && isLike(column, name))
    ? column.slice(prefix.length)
    : column;
