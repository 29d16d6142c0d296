import { truncate } from '../../../core/text.ts';
import { createWarning, type Warning } from '../../../core/warnings.ts';
import { responseBytesMax, takeWithinBytes } from '../../../platform/http/responses/body-sizes.ts';
import type { RecordItem } from '../record.ts';
import type { CsvWarning, RowError } from './parse-csv.ts';

const errorsBytesMax = responseBytesMax / 2;
/** An error may repeat the name of a column. */
const errorCharactersMax = 2_000;

/** The next upload reports the errors from this line on. */
export const cutErrors = (line: number, errors: readonly RowError[]): RowError[] => [
  ...errors.filter((error) => error.line < line),
  {
    line,
    message: `the time limit was reached before this row; upload the file again with fromLine=${line}`,
  },
];

export function renderRowErrors(errors: readonly RowError[]): string[] {
  const details = errors
    .toSorted((one, other) => one.line - other.line)
    .map(({ line, message }) => truncate(`Line ${line}: ${message}`, errorCharactersMax));
  const listed = takeWithinBytes(details, errorsBytesMax);
  const more = details.length - listed.length;
  return more === 0 ? details : [...listed, `${more} more rows failed`];
}

const warningsMax = 1_000;

/** Of the file first, then of the rows. */
export function renderCsvWarnings(found: readonly CsvWarning[]): Warning[] {
  const listed = found
    .slice(0, warningsMax)
    .map(({ line, message }) =>
      createWarning({ code: 'TEXT_ENCODING', message: line > 0 ? `Line ${line}: ${message}` : message }),
    );
  const more = found.length - listed.length;
  if (more === 0) return listed;
  const message = `${more} more rows contain bytes that were replaced`;
  return [...listed, { ...createWarning({ code: 'MORE_WARNINGS', message }), count: more }];
}

/** Collects the records of the first rows, in whatever order they are created. */
export function firstRows(max: number) {
  let kept: { line: number; record: RecordItem }[] = [];
  const sortRows = () => kept.toSorted((one, other) => one.line - other.line).slice(0, max);
  return {
    add(more: typeof kept) {
      kept.push(...more);
      if (kept.length > 2 * max) kept = sortRows();
    },
    all: () => sortRows().map(({ record }) => record),
  };
}
