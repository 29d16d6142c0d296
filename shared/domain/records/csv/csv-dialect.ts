/** The delimiter that the first line declares for Excel: only `sep=;`. */
export const readDelimiter = (beginning: string): string | undefined =>
  /^"?sep=([,;\t|])"?(?=[\r\n])/i.exec(beginning)?.[1];

export const dialect = {
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  skip_records_with_error: true,
};

/** Skips rows of delimiters only. */
export const isEmpty = (cells: readonly string[]) => cells.every((cell) => cell.trim() === '');
