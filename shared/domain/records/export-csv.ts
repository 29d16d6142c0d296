import { stringify } from 'csv-stringify/sync';
import { chunksOf } from '../../core/chunks.ts';
import { invalidAt } from '../../core/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { cellOf, columnOf } from './csv-cells.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import { recordStore } from './record-store.ts';

/** All keys are in memory at once, and each is a column of every row. */
const keysMax = 5_000;
const keyCharactersMax = 500_000;

interface Asked {
  filters: RecordFilters;
  /** The metadata keys to export. Default: all. */
  keys: string[] | undefined;
  /** Throws if finding the columns takes too long. */
  checkDeadline: () => void;
}

/** Remembers up to this many ids, so that records that a filter excludes are read only once. */
const idsMax = 20_000;
const readAtOnce = 100;

interface Survey {
  newest: string | undefined;
  keys: string[];
  /** All matching records, if they are not too many. */
  ids: string[] | undefined;
}

/**
 * Exports the matching records as CSV, in pieces; undefined if there are none. Reads them twice, since the header lists
 * the keys of all records. Excludes records and keys that are created in between.
 */
export const csvExporter = /* @__PURE__ */ using([recordStore], (scope: Scope) => {
  const { matching, stillMatching } = recordStore(scope);

  async function survey({ filters, keys, checkDeadline }: Asked): Promise<Survey> {
    const found = new Set(keys);
    const ids: string[] = [];
    let characters = 0;
    let newest: string | undefined;
    for await (const { records } of matching(filters)) {
      newest ??= records[0]?.id;
      if (keys && newest) return { newest, keys, ids: undefined };
      if (ids.length <= idsMax) ids.push(...records.map(({ id }) => id));
      for (const key of records.flatMap(({ metadata }) => Object.keys(metadata))) {
        if (!found.has(key)) characters += key.length;
        found.add(key);
      }
      if (found.size > keysMax || characters > keyCharactersMax) throw tooManyColumns();
      checkDeadline();
    }
    return { newest, keys: [...found], ids: ids.length > idsMax ? undefined : ids };
  }

  /** Reads the same records again. */
  async function* again(filters: RecordFilters, { newest, ids }: Survey): AsyncGenerator<RecordItem[], void> {
    if (!ids) for await (const { records } of matching(filters, newest)) yield records;
    else for (const some of chunksOf(ids, readAtOnce)) yield await stillMatching(filters, some);
  }

  async function* pieces(filters: RecordFilters, surveyed: Survey) {
    const { keys } = surveyed;
    yield linesOf([['name', 'type', ...keys.map((key) => cellOf(columnOf(key)))]]);
    for await (const records of again(filters, surveyed)) {
      if (records.length > 0) yield linesOf(records.map((record) => rowOf(record, keys)));
    }
  }

  return async (asked: Asked): Promise<AsyncGenerator<string, void> | undefined> => {
    const surveyed = await survey(asked);
    return surveyed.newest === undefined ? undefined : pieces(asked.filters, surveyed);
  };
});

// Quotes every line break, since upload-csv reads each as the end of a row.
const linesOf = (rows: string[][]) =>
  stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });

const rowOf = ({ name, type, metadata }: RecordItem, keys: readonly string[]) =>
  [name, type, ...keys.map((key) => written(Object.hasOwn(metadata, key) ? metadata[key] : ''))].map(cellOf);

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const tooManyColumns = () =>
  invalidAt(
    'includeFields',
    'TOO_MANY_COLUMNS',
    `The records have more than ${keysMax} different metadata keys, or very long ones; name the keys that you need`,
  );
