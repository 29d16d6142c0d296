/**
 * Exports the matching records as CSV, in parts that Lambda can stream and that uploads accept unchanged.
 * The records are read twice: a survey finds the keys for the header, and where the part ends; then the rows are
 * streamed, group by group, so that memory stays bounded. What is created in between is left out; what no longer
 * matches too. Surveys wait in a fair queue.
 * Cells that a spreadsheet would read as a formula are escaped by an apostrophe, and columns that equal the record's
 * own get a prefix; `unescapeCell` and `toColumnKey` undo both in `row-to-record.ts`.
 * `functions/records/export.ts` is the caller.
 */
import { stringify } from 'csv-stringify/sync';
import { makeFairQueue } from '../../../adapters/sandbox/fair-queue.ts';
import { invalidAt } from '../../../core/errors/errors.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { countJsonBytes, type RecordItem } from '../record.ts';
import type { RecordFilters } from '../record-filters.ts';
import { recordStore } from '../record-store.ts';

/** All keys are in memory at once, and each is a column of every row. */
const keysMax = 5_000;
const keyCharactersMax = 500_000;

/** A part has less than the 200 MB that Lambda streams. Its ids are in memory at once. */
const partLimits = { bytes: 190_000_000, records: 100_000 };
/** What is read and written at once: a slow reader keeps so much of it in memory. */
const readAtOnce = { bytes: 1_000_000, records: 100 };

/** A survey reads up to 16 MB at once. A Lambda has one at a time anyway; the embedded stack has all requests in one process. */
const surveys = makeFairQueue({ places: 4, placesPerTenant: 2 });

interface Asked {
  filters: RecordFilters;
  /** The metadata keys to export. Default: all. */
  keys: string[] | undefined;
  /** The record after which the part begins. */
  after?: string | undefined;
  /** Whether the part has to end: there is no time to find more records. */
  isOver: () => boolean;
}

interface Survey {
  keys: string[];
  /** The matching records of the part, by what is read at once. */
  groups: string[][];
  /** The record after which the next part begins, if there is one. */
  next: string | undefined;
}

export interface ExportedPart {
  next: string | undefined;
  chunks: AsyncGenerator<string, void>;
}

/**
 * Exports the matching records as CSV, in chunks; undefined if there are none. Reads them twice, since the header lists
 * the keys of all records, and says before the first row where the part ends. Excludes records and keys that are
 * created in between.
 */
export const csvExporter = /* @__PURE__ */ using([recordStore], (scope: Scope, limits = partLimits) => {
  const { matching, stillMatching } = recordStore(scope);

  async function survey({ filters, keys, after, isOver }: Asked): Promise<Survey> {
    const found = new Set(keys);
    const { groups, add } = openGroups();
    let characters = 0;
    let bytes = 0;
    let count = 0;
    for await (const { records, at } of matching(filters, after)) {
      for (const record of records) {
        const size = countRowBytes(record, keys);
        add(record.id, size);
        bytes += size;
        count++;
        for (const key of keys ? [] : Object.keys(record.metadata)) {
          if (!found.has(key)) characters += key.length;
          found.add(key);
        }
      }
      if (found.size > keysMax || characters > keyCharactersMax) throw createTooManyColumns();
      const isFull = count >= limits.records || bytes + count * (found.size + separators) >= limits.bytes;
      if (at && (isFull || isOver())) return { keys: [...found], groups, next: at };
    }
    return { keys: [...found], groups, next: undefined };
  }

  async function* streamChunks(filters: RecordFilters, { keys, groups }: Survey) {
    yield toLines([['name', 'type', ...keys.map((key) => toCsvCell(toCsvColumn(key)))]]);
    for (const some of groups) {
      const records = await stillMatching(filters, some);
      if (records.length > 0) yield toLines(records.map((record) => toRow(record, keys)));
    }
  }

  return async (asked: Asked): Promise<ExportedPart | undefined> => {
    const release = await surveys.take(scope.table.tenant, scope.signal);
    const surveyed = await survey(asked).finally(release);
    const { groups, next } = surveyed;
    if (groups.length === 0 && next === undefined) return undefined;
    return { next, chunks: streamChunks(asked.filters, surveyed) };
  };
});

function openGroups() {
  const groups: string[][] = [];
  let bytes = 0;
  const add = (id: string, size: number): void => {
    bytes += size;
    const group = groups.at(-1);
    if (group && group.length < readAtOnce.records && bytes <= readAtOnce.bytes) return void group.push(id);
    bytes = size;
    groups.push([id]);
  };
  return { groups, add };
}

/** Of a row, in addition to one for each key: commas, quotes, and the end of the line. */
const separators = 10;

/** At least the size of a record's cells, without separators: CSV writes a quote twice, as JSON escapes it. */
function countRowBytes({ name, type, metadata }: RecordItem, keys: readonly string[] | undefined): number {
  const shown = keys ? keys.map((key) => metadata[key]) : metadata;
  return 2 * countJsonBytes([name, type, shown]);
}

// Quotes every line break, since upload-csv reads each as the end of a row.
const toLines = (rows: string[][]) =>
  stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });

const toRow = ({ name, type, metadata }: RecordItem, keys: readonly string[]) =>
  [name, type, ...keys.map((key) => toText(Object.hasOwn(metadata, key) ? metadata[key] : ''))].map(
    toCsvCell,
  );

const toText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const createTooManyColumns = () =>
  invalidAt(
    'includeFields',
    'TOO_MANY_COLUMNS',
    `The records have more than ${keysMax} different metadata keys, or very long ones; name the keys that you need`,
  );

/** What spreadsheets read as the beginning of a formula (OWASP, "CSV Injection"), after any apostrophes (D220). */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/;
const escaped = /^'+[=+\-@\t\r\n＝＋－＠]/;
/** A harmless formula that spreadsheets should keep as a number. */
const signedNumber = /^[+-]\d+(\.\d+)?(e[+-]?\d+)?$/i;

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
