/**
 * The rows of an export as a file: CSV, JSON Lines or Parquet, piece by piece.
 *
 * The rows come as lines of JSON, which already are JSON Lines; for the other formats some of them at a time become objects.
 * CSV and Parquet need all columns before the first row, so they are known by then (`ColumnTypes`). A column of Parquet has the
 * type that all of its values have, else JSON, which reads back to the same values. CSV has formulas escaped as every export
 * of this service. Parquet's library is loaded when the first such file is written.
 */

import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { stringify } from 'csv-stringify/sync';
import { toChunks } from '../../core/chunks.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import type { NewExport } from '../../domain/jobs/export.ts';
import { toCsvCell } from '../../domain/records/csv/export-csv.ts';
import type { ExportRow } from './export-rows.ts';

/** What values a column has: a letter for each kind. */
export type ColumnTypes = Record<string, string>;

/** The columns of a file in their order, with what values they have. */
export type FileColumns = readonly (readonly [name: string, kinds: string])[];

/** As they were found, but objects have names that are whole numbers before the others: years come last. */
export function orderColumns(types: ColumnTypes): FileColumns {
  const isWhole = ([name]: readonly [string, string]) => /^(?:0|[1-9]\d*)$/.test(name);
  const { whole = [], other = [] } = Object.groupBy(Object.entries(types), (column) =>
    isWhole(column) ? 'whole' : 'other',
  );
  return [...other, ...whole];
}

const kindOf = (value: unknown): string => {
  if (value === null) return 'n';
  const kinds: Record<string, string> = { string: 's', number: 'd', boolean: 'b' };
  return kinds[typeof value] ?? 'j';
};

export function noteTypes(types: ColumnTypes, row: ExportRow): void {
  for (const [name, value] of Object.entries(row)) {
    const earlierType = Object.hasOwn(types, name) ? (types[name] as string) : '';
    const kind = kindOf(value);
    if (!earlierType.includes(kind)) types[name] = earlierType + kind;
  }
}

/** The members of objects as columns of their own; lists and empty objects stay. */
export function flattenRow(row: ExportRow): ExportRow {
  const flat: ExportRow = {};
  const add = (value: unknown, name: string) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isObject && Object.keys(value).length > 0)
      for (const [key, member] of Object.entries(value)) add(member, `${name}.${key}`);
    else flat[name] = value;
  };
  for (const [name, value] of Object.entries(row)) add(value, name);
  return flat;
}

/** The columns that were asked for; a path leads into objects. */
export const pickColumns = (row: ExportRow, columns: readonly string[]): ExportRow =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const value = Object.hasOwn(row, column) ? row[column] : valueAt(row, column.split('.'));
      return value === undefined ? [] : [[column, value]];
    }),
  );

const valueAt = (row: ExportRow, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as ExportRow)[name]
        : undefined,
    row,
  );

type Rows = AsyncIterable<ExportRow[]>;
/** Each some rows, a line each. */
type Texts = AsyncIterable<string>;

const writers: Record<
  NewExport['format'],
  (texts: Texts, columns: FileColumns) => AsyncGenerator<Uint8Array>
> = {
  csv: (texts, columns) => toCsv(toRows(texts), columns),
  jsonl: toJsonLines,
  parquet: (texts, columns) => toParquet(toRows(texts), columns),
};

const rowsAtOnce = 500;

async function* toRows(texts: Texts): AsyncGenerator<ExportRow[]> {
  for await (const text of texts)
    for (const lines of toChunks(text.split('\n'), rowsAtOnce))
      yield lines.map((line) => parseExact(line) as ExportRow);
}

export const mediaTypes: Record<NewExport['format'], string> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

export function encodeRows(
  { format, compress }: NewExport,
  texts: Texts,
  columns: FileColumns,
): AsyncIterable<Uint8Array> {
  const pieces = writers[format](texts, columns);
  return compress ? Readable.from(pieces).pipe(createGzip()) : pieces;
}

const toLines = (rows: string[][]) =>
  Buffer.from(stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ }));

async function* toCsv(rows: Rows, named: FileColumns): AsyncGenerator<Uint8Array> {
  const columns = named.map(([name]) => name);
  yield toLines([columns.map(toCsvCell)]);
  const toCell = (row: ExportRow, column: string) => {
    const value = Object.hasOwn(row, column) ? row[column] : '';
    return toCsvCell(typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value));
  };
  for await (const page of rows)
    if (page.length > 0) yield toLines(page.map((row) => columns.map((column) => toCell(row, column))));
}

async function* toJsonLines(texts: Texts): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(`${text}\n`);
}

const rowsPerGroup = 5_000;
const parquetTypes: Record<string, 'STRING' | 'DOUBLE' | 'BOOLEAN'> = {
  s: 'STRING',
  d: 'DOUBLE',
  b: 'BOOLEAN',
};

async function* toParquet(rows: Rows, named: FileColumns): AsyncGenerator<Uint8Array> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  // The library would round whole numbers in JSON, so it gets the bytes, and the type at the end.
  const columns = named.map(([name, kinds]) => ({
    name,
    type: parquetTypes[kinds] ?? ('BYTE_ARRAY' as const),
    nullable: true,
  }));
  const schema = schemaFromColumnData({ columnData: columns.map((column) => ({ ...column, data: [] })) });
  const writer = new ByteWriter();
  const file = new ParquetWriter({ writer, schema });
  const take = () => {
    const bytes = Uint8Array.from(writer.getBytes());
    writer.index = 0;
    return bytes;
  };
  for await (const group of toGroups(rows)) {
    const columnData = columns.map((column) => ({ ...column, data: toColumn(group, column) }));
    await file.write({ columnData, rowGroupSize: group.length });
    yield take();
  }
  for (const element of schema) {
    if (columns.some(({ name, type }) => name === element.name && type === 'BYTE_ARRAY'))
      element.converted_type = 'JSON';
  }
  await file.finish();
  yield take();
}

const utf8 = new TextEncoder();

/** A null of JSON is a value, other than a missing one. */
function toColumn(group: readonly ExportRow[], { name, type }: { name: string; type: string }): unknown[] {
  return group.map((row) => {
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    if (value === undefined) return null;
    return type === 'BYTE_ARRAY' ? utf8.encode(JSON.stringify(value)) : value;
  });
}

async function* toGroups(rows: Rows): AsyncGenerator<ExportRow[]> {
  let group: ExportRow[] = [];
  for await (const page of rows) {
    group.push(...page);
    if (group.length < rowsPerGroup) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
