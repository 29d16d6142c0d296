/** What spreadsheets read as the beginning of a formula (OWASP, "CSV Injection"), after any apostrophes (D220). */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const escaped = /^'+[=+\-@\t\r\n＝＋－＠]/;
/** A harmless formula that spreadsheets should keep as a number. */
const signedNumber = /^[+-]\d+(\.\d+)?$/;

export const toCsvCell = (text: string) =>
  formula.test(text) && !signedNumber.test(text) ? `'${text}` : text;

export const unescapeCell = (cell: string) => (escaped.test(cell) ? cell.slice(1) : cell);

/** The record's own columns. Metadata keys of the same name get a prefix. */
const ownColumns = ['name', 'type'] as const;
const prefix = 'metadata.';
const isLike = (key: string, ownColumn: string) =>
  /^(metadata\.)*$/.test(key.slice(0, -ownColumn.length)) && key.endsWith(ownColumn);

export const toCsvColumn = (key: string) =>
  ownColumns.some((ownColumn) => isLike(key, ownColumn)) ? prefix + key : key;

/** The metadata key of a column, in a file with these own columns. */
export const toColumnKey = (column: string, columns: readonly (string | undefined)[]) =>
  column.startsWith(prefix) && ownColumns.some((name) => columns.includes(name) && isLike(column, name))
    ? column.slice(prefix.length)
    : column;
