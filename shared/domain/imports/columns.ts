/**
 * Turns the rows of a file into drafts of records: which column is the name or the type, where each value goes in the
 * metadata, and as what it is read.
 *
 * `planColumns` decides that once, from the first rows (`auto` is a type of JSON that all of their cells have), and the plan is
 * stored, so that every chunk reads alike. `createImportedRowReader` applies it: a row is a draft, or a problem with the column that it
 * is about. The types of JSON Lines and Parquet stay. A cell of CSV that does not fit what `auto` found stays text; one that
 * does not fit what the caller asked for is a problem.
 */

import { ServiceError } from '../../core/errors/errors.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { findForbiddenMember, mayHaveForbiddenMember } from '../../core/json/forbidden-members.ts';
import { truncate } from '../../core/text.ts';
import { toColumnKey, unescapeCell } from '../records/csv/export-csv.ts';
import { findNameColumn, isBlank, listColumnNames } from '../records/csv/row-to-record.ts';
import { RecordDraft } from '../records/record.ts';
import { columnsMax, type ImportFormat, type ImportSettings } from './import.ts';

export interface Problem {
  column: string | null;
  code: string;
  message: string;
  /** The cell, or the row. */
  text: string;
}

type ReadAs = 'text' | 'number' | 'boolean' | 'json' | 'date';

interface Column {
  name: string;
  /** The members that lead to the value; null if the column is left out. */
  path: string[] | null;
  as: ReadAs;
  /** The caller asked for it, so a cell that does not fit is a problem. */
  isAsked: boolean;
}

export interface ColumnPlan {
  format: ImportFormat;
  columns: Column[];
  nameColumn: string | undefined;
  typeColumn: string | undefined;
  type: string | undefined;
  emptyAs: ImportSettings['emptyAs'];
  /** The columns whose values find a record; undefined for the name. */
  key: string[] | undefined;
}

/** A row as it was read: the cells of CSV, or an object. */
export type RawRow = readonly string[] | Readonly<Record<string, unknown>>;

export interface ReadRow {
  name: string | undefined;
  type: string;
  /** By paths. `undefined` for what the row does not say. */
  values: { path: readonly string[]; value: unknown }[];
  /** What finds the record; undefined if the name does. */
  key: unknown[] | undefined;
}

/** A file that cannot be read, or not to its end. */
export class ImportFailure extends Error {
  readonly code: string;
  /** Those that the file has, if nobody said which one is the name. */
  readonly columns: readonly string[] | undefined;

  constructor(code: string, message: string, columns?: readonly string[]) {
    super(message);
    this.code = code;
    this.columns = columns;
  }
}

/** What a file of problems has beside the columns of its import. */
export const problemColumns = ['problem.row', 'problem.column', 'problem.code', 'problem.message'];

/** A value of a row, as a cell of CSV has it. */
export const toCellText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

/** @param header The cells of the first line of CSV; the members of other rows are their columns. @throws ImportFailure */
export function planColumns(
  format: ImportFormat,
  header: readonly string[] | undefined,
  rows: readonly RawRow[],
  settings: ImportSettings,
): ColumnPlan {
  const names = header ? namesOf(header) : [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (header && names.length > columnsMax + 2)
    throw new ImportFailure(
      'TOO_MANY_COLUMNS',
      `A file has at most ${columnsMax} columns; this one has ${names.length}`,
    );
  const nameColumn = findName(names, settings);
  const { typeColumn } = settings;
  const isOpen = !header;
  assertColumns(names, nameColumn, settings, isOpen);
  const namedColumns = [nameColumn, typeColumn];
  const columns = names.map((name, index): Column => {
    const { to, as = 'auto' } = settings.columns[name] ?? {};
    const isDropped =
      namedColumns.includes(name) || to === null || (format === 'csv' && problemColumns.includes(name));
    const path = isDropped ? null : to === undefined ? [toColumnKey(name, namedColumns)] : to.split('.');
    const cells = header && as === 'auto' ? rows.map((row) => (row as string[])[index] ?? '') : [];
    return { name, path, as: as === 'auto' ? guessType(cells) : as, isAsked: as !== 'auto' };
  });
  const lost = columns.find(
    ({ name, path }) => path === null && settings.key?.includes(name) && !namedColumns.includes(name),
  );
  if (lost)
    throw new ImportFailure('MISSING_COLUMN', `The column "${lost.name}" is left out, so it cannot be a key`);
  assertPathsDiffer(columns);
  return {
    format,
    columns,
    nameColumn,
    typeColumn,
    type: settings.type,
    emptyAs: settings.emptyAs,
    key: settings.key?.length === 1 && settings.key[0] === nameColumn ? undefined : settings.key,
  };
}

function namesOf(header: readonly string[]): string[] {
  try {
    return listColumnNames(header);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const [{ code, message } = { code: 'INVALID_COLUMN', message: error.message }] = error.details;
    throw new ImportFailure(code, message);
  }
}

const findName = (names: readonly string[], settings: ImportSettings): string | undefined => {
  const at = findNameColumn(names, settings);
  return names[at];
};

function assertColumns(
  names: readonly string[],
  nameColumn: string | undefined,
  { nameColumn: asked, typeColumn, key, mode, columns }: ImportSettings,
  isOpen: boolean,
): void {
  const missing = (what: string, name: string, columns?: readonly string[]) =>
    new ImportFailure(
      'MISSING_COLUMN',
      `The file has no column "${name}" (${what}); its columns are ${truncate(names.slice(0, 50).join(', '), 1_000)}`,
      columns,
    );
  const needsName = mode === 'create' || !key || asked !== undefined;
  if (needsName && nameColumn === undefined)
    throw missing('nameColumn', asked ?? 'name', asked === undefined ? names : undefined);
  if (typeColumn !== undefined && !names.includes(typeColumn)) throw missing('typeColumn', typeColumn);
  for (const name of key ?? []) if (!names.includes(name)) throw missing('key', name);
  if (isOpen) return;
  for (const name of Object.keys(columns)) if (!names.includes(name)) throw missing('columns', name);
}

/** Two values cannot be in one place, nor one inside of the other. */
export function assertPathsDiffer(columns: readonly Pick<Column, 'name' | 'path'>[]): void {
  const taken = new Map<string, string>();
  for (const { name, path } of columns) {
    if (!path) continue;
    const text = path.join('\0');
    const other = taken.get(text);
    if (other !== undefined)
      throw new ImportFailure(
        'DUPLICATE_TARGET',
        `The columns "${other}" and "${name}" go to one place, ${path.join('.')}`,
      );
    taken.set(text, name);
  }
  for (const [text, name] of taken) {
    for (let at = text.indexOf('\0'); at !== -1; at = text.indexOf('\0', at + 1)) {
      const outer = taken.get(text.slice(0, at));
      if (outer !== undefined)
        throw new ImportFailure(
          'DUPLICATE_TARGET',
          `The column "${name}" goes into the value of the column "${outer}"`,
        );
    }
  }
}

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const anyNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number whose digits are kept; undefined for any other text. */
function toNumber(cell: string, pattern = plainNumber): number | bigint | undefined {
  if (!pattern.test(cell) || /^-0(?:\.0*)?$/.test(cell)) return undefined;
  const value = parseExact(cell);
  return typeof value === 'string' ? undefined : (value as number | bigint);
}

const toBoolean = (cell: string): boolean | undefined => {
  const folded = cell.toLowerCase();
  return folded === 'true' ? true : folded === 'false' ? false : undefined;
};

function toJson(cell: string): unknown {
  try {
    const value = parseExact(cell);
    return mayHaveForbiddenMember(cell) && findForbiddenMember(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

const toCollection = (cell: string) => (/^\s*[[{]/.test(cell) ? toJson(cell) : undefined);

const isoDate =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])(?:[T ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** A day or a time of ISO 8601, as it is written. */
const toDate = (cell: string): string | undefined =>
  isoDate.test(cell) &&
  new Date(`${cell.slice(0, 10)}T00:00:00Z`).toISOString().slice(0, 10) === cell.slice(0, 10)
    ? cell
    : undefined;

const guesses: [ReadAs, (cell: string) => unknown][] = [
  ['number', toNumber],
  ['boolean', toBoolean],
  ['json', toCollection],
];

function guessType(cells: readonly string[]): ReadAs {
  const set = cells.map(unescapeCell).filter((cell) => !isBlank(cell));
  if (set.length === 0) return 'text';
  const [found = 'text'] = guesses.find(([, read]) => set.every((cell) => read(cell) !== undefined)) ?? [];
  return found;
}

const readers: Record<ReadAs, { read: (cell: string) => unknown; code: string; expected: string }> = {
  text: { read: (cell) => cell, code: 'INVALID_TEXT', expected: 'a text' },
  number: {
    read: (cell) => toNumber(cell.trim(), anyNumber),
    code: 'INVALID_NUMBER',
    expected: 'a number that is kept exactly',
  },
  boolean: { read: (cell) => toBoolean(cell.trim()), code: 'INVALID_BOOLEAN', expected: 'true or false' },
  json: { read: toJson, code: 'INVALID_JSON', expected: 'JSON' },
  date: {
    read: (cell) => toDate(cell.trim()),
    code: 'INVALID_DATE',
    expected: 'a date of ISO 8601, such as 2026-11-30',
  },
};

/** What `auto` may read: a number without an exponent, and of JSON only lists and objects. */
const autoReaders: Partial<Record<ReadAs, (cell: string) => unknown>> = Object.fromEntries(guesses);

export function createImportedRowReader(plan: ColumnPlan): (row: RawRow) => ReadRow | Problem {
  const byName = new Map(plan.columns.map((column) => [column.name, column]));
  const indexes = new Map(plan.columns.map(({ name }, index) => [name, index]));
  const cellOf = (row: RawRow, name: string | undefined): unknown => {
    if (name === undefined) return undefined;
    return Array.isArray(row) ? unescapeCell(row[indexes.get(name) ?? -1] ?? '') : ownMember(row, name);
  };
  const problem = (column: string | null, code: string, message: string, text: unknown): Problem => ({
    column,
    code,
    message,
    text: truncate(toCellText(text), 200),
  });

  function readValues(row: RawRow): ReadRow['values'] | Problem {
    const values: ReadRow['values'] = [];
    for (const { column, value } of listCells(plan, byName, row)) {
      if (!column.path) continue;
      const read = readCell(plan, column, value);
      if (read === unfit) {
        const { code, expected } = readers[column.as];
        return problem(column.name, code, `Expected ${expected}`, value);
      }
      if (read !== undefined) values.push({ path: column.path, value: read });
    }
    return values;
  }

  return (row) => {
    if (Array.isArray(row) && row.length !== plan.columns.length) {
      const message = `Expected ${plan.columns.length} cells, as in the header, but found ${row.length}`;
      return problem(null, 'CELL_COUNT', message, row);
    }
    if (!Array.isArray(row) && Object.keys(row).length > columnsMax)
      return problem(null, 'TOO_MANY_COLUMNS', `A row has at most ${columnsMax} members`, row);
    const type = plan.type ?? toCellText(cellOf(row, plan.typeColumn));
    if (isBlank(type)) return problem(plan.typeColumn ?? null, 'TYPE_MISSING', 'The type is blank', row);
    const name = toCellText(cellOf(row, plan.nameColumn));
    const key = plan.key?.map((column) => keyValue(plan, byName.get(column), cellOf(row, column)));
    if (key?.some((value) => isBlank(toCellText(value))))
      return problem(plan.key?.[0] ?? null, 'KEY_MISSING', 'The key is blank', row);
    if (!key && isBlank(name))
      return problem(plan.nameColumn ?? null, 'NAME_MISSING', 'The name is blank', row);
    const values = readValues(row);
    if (!Array.isArray(values)) return values;
    return { type, name: isBlank(name) ? undefined : name, values, key };
  };
}

const ownMember = (row: RawRow, name: string): unknown =>
  Object.hasOwn(row, name) ? (row as Record<string, unknown>)[name] : undefined;

/** The cells of a row with their columns. Members that the first rows do not have are columns of their own name. */
function* listCells(plan: ColumnPlan, byName: ReadonlyMap<string, Column>, row: RawRow) {
  if (Array.isArray(row)) {
    for (const [index, column] of plan.columns.entries())
      yield { column, value: unescapeCell(row[index] ?? '') };
    return;
  }
  for (const [name, value] of Object.entries(row)) {
    const namedColumns = [plan.nameColumn, plan.typeColumn];
    const column = byName.get(name) ?? {
      name,
      path: [toColumnKey(name, namedColumns)],
      as: 'text' as const,
      isAsked: false,
    };
    yield { column, value };
  }
}

const unfit = Symbol('does not fit');

/** @returns undefined for what the row does not say */
function readCell({ format, emptyAs }: ColumnPlan, { as, isAsked }: Column, value: unknown): unknown {
  if (format !== 'csv') {
    if (!isAsked || value === null || value === undefined) return value;
    if (as === 'text') return toCellText(value);
    if (typeof value !== 'string')
      return as === 'json' || typeof value === as || (as === 'number' && typeof value === 'bigint')
        ? value
        : unfit;
    return readers[as].read(value) ?? unfit;
  }
  const cell = value as string;
  if (isBlank(cell)) return emptyAs === 'missing' ? undefined : emptyAs === 'null' ? null : cell;
  if (isAsked) return readers[as].read(cell) ?? unfit;
  return autoReaders[as]?.(cell) ?? cell;
}

const keyValue = (plan: ColumnPlan, column: Column | undefined, value: unknown) => {
  const read = column && !isBlank(toCellText(value)) ? readCell(plan, column, value) : undefined;
  return read === unfit ? undefined : read;
};

/** @returns the metadata with the values of a row set, or what prevents it */
export function setValues(
  metadata: Readonly<Record<string, unknown>>,
  values: ReadRow['values'],
): Record<string, unknown> {
  const result = { ...metadata };
  for (const { path, value } of values) setAt(result, path, value);
  return result;
}

/** Changes no object that it did not make. */
function setAt(
  target: Record<string, unknown>,
  [name = '', ...inner]: readonly string[],
  value: unknown,
): void {
  const old = Object.hasOwn(target, name) ? target[name] : undefined;
  const isObject = typeof old === 'object' && old !== null && !Array.isArray(old);
  const next = inner.length === 0 ? value : { ...(isObject ? old : {}) };
  if (inner.length > 0) setAt(next as Record<string, unknown>, inner, value);
  // `__proto__` is a member like others.
  Object.defineProperty(target, name, { value: next, enumerable: true, configurable: true, writable: true });
}

/** Checks what every record is checked for. */
export function toDraft(fields: Omit<RecordDraft, 'messages'>): RecordDraft | Problem {
  const { data, error } = RecordDraft.safeParse(fields);
  if (data) return data;
  const [{ path, message, code: issue, ...rest } = { path: [], message: error.message, code: '' }] =
    error.issues;
  const { params } = rest as { params?: { code?: string } };
  const column = path[0] === 'metadata' ? null : String(path[0] ?? '');
  return {
    column,
    code: params?.code ?? (issue === 'too_big' ? 'TOO_BIG' : 'INVALID_VALUE'),
    message: path.length > 0 ? `${path.join('.')}: ${message}` : message,
    text: truncate(toCellText(column === null ? fields.metadata : fields[column as 'name']), 200),
  };
}

export const isProblem = (value: object): value is Problem => 'code' in value && 'message' in value;
