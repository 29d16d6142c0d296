import { invalidAt } from '../../../core/errors/errors.ts';
import { RecordDraft } from '../record.ts';
import { toColumnKey, unescapeCell } from './export-csv.ts';

export interface CsvColumns {
  /** The column of the records' names. Default: the one called "name" in any case. */
  nameColumn?: string | undefined;
  typeColumn?: string | undefined;
  /** The type of all records. Excludes a type column. */
  typeValue?: string | undefined;
}

export function hasColumns(header: readonly string[], columns: CsvColumns): boolean {
  const names = header.map(toHeader);
  return (
    findNameColumn(names, columns) >= 0 && (!needsType(columns) || names.includes(columns.typeColumn ?? ''))
  );
}

const needsType = ({ typeColumn, typeValue }: CsvColumns) => !typeValue && typeColumn;

/** The place of the column with the names; -1 if there is none. */
export const findNameColumn = (names: readonly string[], { nameColumn }: Pick<CsvColumns, 'nameColumn'>) =>
  nameColumn ? names.indexOf(nameColumn.trim()) : names.findIndex((name) => name.toLowerCase() === 'name');

/** Reads a row's cells into a record, or returns what is wrong with them. */
export function createRowReader(header: readonly string[], columns: CsvColumns) {
  const names = listColumnNames(header);
  const nameAt = findNameColumn(names, columns);
  if (nameAt < 0) throw createMissingColumn('nameColumn', columns.nameColumn || 'name', names);
  const typeAt = needsType(columns) ? names.indexOf(columns.typeColumn?.trim() ?? '') : -1;
  if (needsType(columns) && typeAt < 0)
    throw createMissingColumn('typeColumn', columns.typeColumn ?? '', names);

  const keys = names.map((column) => toColumnKey(column, [names[nameAt], names[typeAt]]));

  return (written: readonly string[]): RecordDraft | string => {
    if (written.length !== names.length)
      return `expected ${names.length} cells, as in the header, but found ${written.length}`;
    const cells = written.map(unescapeCell);
    const name = cells[nameAt] ?? '';
    const type = columns.typeValue || cells[typeAt] || '';
    if (isBlank(name)) return `the name (column "${names[nameAt]}") is blank`;
    if (isBlank(type)) return `the type (column "${names[typeAt]}") is blank`;
    const metadata = Object.fromEntries(
      keys.flatMap((key, index) => {
        const cell = cells[index] ?? '';
        return index === nameAt || index === typeAt || isBlank(cell) ? [] : [[key, cell]];
      }),
    );
    const { data, error } = RecordDraft.safeParse({ type, name, metadata });
    return data ?? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  };
}

const toHeader = (cell: string) => unescapeCell(cell.trim());

export const isBlank = (text: string) => text.trim() === '';

/** The header's names, trimmed. Blank names become their position, repeated names get a number. */
export function listColumnNames(header: readonly string[]): string[] {
  const trimmed = header.map((name, index) => toHeader(name) || `column_${index + 1}`);
  if (trimmed.includes('__proto__')) {
    throw invalidAt('file', 'INVALID_COLUMN', 'A column cannot be named __proto__; rename it');
  }
  const written = new Set(trimmed);
  /** The number for the next repetition of each name. */
  const numbers = new Map<string, number>();
  return trimmed.map((name) => {
    let number = numbers.get(name) ?? 1;
    while (number > 1 && written.has(`${name}_${number}`)) number++;
    numbers.set(name, number + 1);
    return number === 1 ? name : `${name}_${number}`;
  });
}

const createMissingColumn = (path: string, name: string, names: readonly string[]) =>
  invalidAt(
    path,
    'MISSING_COLUMN',
    `The file has no column "${name}"; its columns are ${names.slice(0, 50).join(', ')}`,
  );
