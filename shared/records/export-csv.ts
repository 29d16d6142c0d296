import { stringify } from 'csv-stringify/sync';
import { invalidAt } from '../http/errors.ts';
import type { Scope } from '../runtime.ts';
import { cellOf, columnOf } from './csv-cells.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';
import { recordStore } from './record-store.ts';

/** Keys are in memory all at once, and each is a column of every row. */
const keysMax = 5_000;
const keyCharactersMax = 500_000;

interface Asked {
  filters: RecordFilters;
  /** The metadata keys to show, where not all are. */
  keys: string[] | undefined;
  /** Throws when looking for the columns takes too long. */
  hurry: () => void;
}

/**
 * The records that filters mean as CSV, in pieces; nothing where there are none. They are read twice, since the header
 * names the keys of them all: what is created in between is left out, and so are keys that nothing had before.
 */
export const csvExporter = (scope: Scope) => {
  const { matching } = recordStore(scope);

  async function survey({ filters, keys, hurry }: Asked) {
    const found = new Set(keys);
    let characters = 0;
    let newest: string | undefined;
    for await (const { records } of matching(filters)) {
      newest ??= records[0]?.id;
      if (keys && newest) break;
      for (const key of records.flatMap(({ metadata }) => Object.keys(metadata))) {
        if (!found.has(key)) characters += key.length;
        found.add(key);
      }
      if (found.size > keysMax || characters > keyCharactersMax) throw tooManyColumns();
      hurry();
    }
    return { newest, keys: [...found] };
  }

  async function* pieces(filters: RecordFilters, keys: readonly string[], newest: string) {
    yield linesOf([['name', 'type', ...keys.map((key) => cellOf(columnOf(key)))]]);
    for await (const { records } of matching(filters, newest)) {
      if (records.length > 0) yield linesOf(records.map((record) => rowOf(record, keys)));
    }
  }

  return async (asked: Asked): Promise<AsyncGenerator<string, void> | undefined> => {
    const { newest, keys } = await survey(asked);
    return newest === undefined ? undefined : pieces(asked.filters, keys, newest);
  };
};

// A line break of any kind has to be quoted, since upload-csv takes each for the end of a row.
const linesOf = (rows: string[][]) =>
  stringify(rows, { record_delimiter: 'windows', quoted_match: /[\r\n]/ });

const rowOf = ({ name, type, metadata }: RecordItem, keys: readonly string[]) =>
  [name, type, ...keys.map((key) => written(Object.hasOwn(metadata, key) ? metadata[key] : ''))].map(cellOf);

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

const tooManyColumns = () =>
  invalidAt(
    'includeFields',
    'TOO_MANY_COLUMNS',
    `The records have more than ${keysMax} different metadata keys, or very long ones; name those that you need`,
  );
