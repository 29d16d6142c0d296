/**
 * Describes what is in the records of a tenant by reading the newest ones: their types, the fields of a type and the
 * values of a field.
 * Nothing is stored about fields, so each call reads records, newest first, and stops at a number of records, of bytes
 * in memory, or of time; the result says whether it is complete. Fields are named as filters name them. Texts that a
 * filter would read as a number, a boolean or a date count as such.
 * The event loop gets its turn between records. `functions/records` serves the three calls; `idPages` and
 * `visitNewestRecords` are used by others that read many records.
 */
import { eventLoopYielder } from '../../core/concurrency/event-loop.ts';
import { isPlainNumber, parseInstant, toBoolean } from '../../core/filters/comparison.ts';
import { getFieldValue, isSet, metadataFieldPath, recordFields } from '../../core/filters/field.ts';
import { getIdTimeMs } from '../../core/ids.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { using } from '../../platform/aws/uses.ts';
import { countRows } from '../../platform/data/lists/counts.ts';
import { walkList } from '../../platform/data/lists/listing.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { responseBytesMax, takeWithinBytes } from '../../platform/http/responses/body-sizes.ts';
import { countJsonBytes, type RecordItem, recordsRange } from './record.ts';
import { recordStore } from './record-store.ts';

export const inferredTypes = ['string', 'number', 'boolean', 'date', 'array', 'object'] as const;
type InferredType = (typeof inferredTypes)[number];

interface FoundField {
  name: string;
  types: InferredType[];
  count: number;
  examples: unknown[];
}

export const fieldsMax = 1_000;
/** The memory limit for the names of all fields. */
const namesBytesMax = 16_000_000;
const examplesMax = 5;
const exampleLengthMax = 100;
const exampleBytesMax = 600;

interface FieldStatistics {
  count: number;
  types: Map<InferredType, number>;
  /** Keyed by their JSON. */
  examples: Map<string, unknown>;
}

/** Infers the fields of a type from a sample of its newest records, most frequent first. */
export const schemaDiscovery = /* @__PURE__ */ using(
  ['table:read'],
  (scope: Scope) => async (type: string, sample: number) => {
    const statistics = new Map<string, FieldStatistics>();
    let nameBytesLeft = namesBytesMax;
    let sampledRecords = 0;
    const look = (record: RecordItem) => {
      sampledRecords++;
      for (const [name, value] of listMetadataFields(record)) {
        let field = statistics.get(name);
        if (!field) {
          nameBytesLeft -= Buffer.byteLength(name) + exampleLengthMax;
          if (nameBytesLeft < 0) continue;
          field = { count: 0, types: new Map(), examples: new Map() };
          statistics.set(name, field);
        }
        addTo(field, value);
      }
    };
    const [total] = await Promise.all([
      countRows(scope.table, recordsRange(type)),
      visitNewestRecords(scope, type, { readMax: sample }, look),
    ]);
    const fields = [...statistics]
      .map(([name, { count, types, examples }]): FoundField => {
        const byCount = [...types].toSorted(([, one], [, other]) => other - one).map(([each]) => each);
        return { name, types: byCount, count, examples: [...examples.values()] };
      })
      .toSorted((one, other) => other.count - one.count)
      .slice(0, fieldsMax);
    return {
      fields: takeWithinBytes(fields, responseBytesMax),
      sampledRecords,
      totalRecords: total.count,
      countIsMinimum: total.isMinimum,
    };
  },
);

function addTo(field: FieldStatistics, value: unknown): void {
  const { types, examples } = field;
  field.count++;
  const type = inferType(value);
  types.set(type, (types.get(type) ?? 0) + 1);
  if (examples.size >= examplesMax) return;
  const example = typeof value === 'string' ? shorten(value) : value;
  if (countJsonBytes(example) <= exampleBytesMax) examples.set(JSON.stringify(example), example);
}

/** The type that a filter would use: a text from a CSV file may be a number, a date or a boolean. */
function inferType(value: unknown): InferredType {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  if (typeof value === 'object') return 'object';
  if (toBoolean(value) !== undefined) return 'boolean';
  const text = value as string;
  if (isPlainNumber(text)) return 'number';
  return parseInstant(text) === undefined ? 'string' : 'date';
}

const shorten = (text: string) => {
  const characters = [...text.slice(0, 2 * exampleLengthMax + 2)];
  return characters.length > exampleLengthMax ? `${characters.slice(0, exampleLengthMax).join('')}…` : text;
};

/** The metadata fields that are set, named as in filters: keys, and dotted paths of nested values. */
function* listMetadataFields(record: RecordItem): Generator<[name: string, value: unknown], void> {
  const names = new Set<string>();
  for (const [path, value] of leavesOf(record.metadata)) {
    const name = recordFields.some((field) => field === path) ? metadataFieldPath(path) : path;
    // If a key contains a dot and equals a path, filters read the key.
    if (!isSet(value) || names.has(name) || getFieldValue(record, name) !== value) continue;
    names.add(name);
    yield [name, value];
  }
}

function* leavesOf(object: object, prefix = ''): Generator<[path: string, value: unknown], void> {
  for (const [key, value] of Object.entries(object)) {
    const isInner = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isInner && Object.keys(value).length > 0) yield* leavesOf(value, `${prefix}${key}.`);
    else yield [prefix + key, value];
  }
}

export interface ValueCount {
  value: unknown;
  count: number;
}

const recordsReadMax = 10_000;
/** The memory limit for all distinct values, as JSON. */
const valuesBytesMax = 20_000_000;
/** Reserved for the response. */
const reserveMs = 5_000;

interface Asked {
  type: string;
  field: string;
  limit: number;
}

/** Counts the values of a field in the newest records of a type. Counts each element of a list. */
export const fieldValues = /* @__PURE__ */ using(
  ['table:read'],
  (scope: Scope, readMax = recordsReadMax) =>
    async ({ type, field, limit }: Asked, timeLeftMs: () => number) => {
      /** Keyed by the values' JSON. */
      const counts = new Map<string, number>();
      let bytesLeft = valuesBytesMax;
      const look = (record: RecordItem) => {
        for (const value of toValues(getFieldValue(record, field))) {
          const count = counts.get(value);
          if (count === undefined) bytesLeft -= Buffer.byteLength(value);
          if (count !== undefined || bytesLeft >= 0) counts.set(value, (count ?? 0) + 1);
        }
      };
      const isOver = () => timeLeftMs() < reserveMs;
      const sawAll = await visitNewestRecords(scope, type, { readMax, isOver }, look);
      const values = [...counts]
        .toSorted(([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1))
        .slice(0, limit)
        .map(([value, count]): ValueCount => ({ value: parseExact(value), count }));
      const shown = takeWithinBytes(values, responseBytesMax);
      return { values: shown, truncated: !sawAll || bytesLeft < 0 || shown.length < counts.size };
    },
);

/** The distinct values that are set, as JSON. */
const toValues = (held: unknown): Set<string> =>
  new Set((Array.isArray(held) ? held : [held]).filter(isSet).map((value) => JSON.stringify(value)));

interface Bounds {
  readMax: number;
  /** Checked before each page: whether there is no time for another one. */
  isOver?: () => boolean;
}

/** Visits the newest records of a type, and yields to the event loop in between. @returns whether these were all. */
export async function visitNewestRecords(
  scope: Scope,
  type: string,
  { readMax, isOver = () => false }: Bounds,
  look: (record: RecordItem) => void,
): Promise<boolean> {
  const { getMany } = recordStore(scope);
  const turn = eventLoopYielder(scope.signal);
  let left = readMax;
  for await (const ids of idPages(scope, type, Math.min(idsPerPage, readMax))) {
    if (ids.length > 0 && (left === 0 || isOver())) return false;
    for (const record of await getMany(ids.slice(0, left))) {
      // The index is eventually consistent: a record may still appear under its previous type.
      if (record.type === type) look(record);
      await turn();
    }
    if (ids.length > left) return false;
    left -= ids.length;
  }
  return true;
}

interface TypeOfRecords {
  type: string;
  /** Of the records that were read. */
  count: number;
  newestId: string;
  /** When the newest record was created. */
  newestAt: string;
}
/** A page with more types is long enough. */
const typesMax = 1_000;

/** The types of the newest records, from a record on, as the index of all records has them. */
export const recordTypes = /* @__PURE__ */ using(
  ['table:read'],
  ({ table }: Scope, readMax = recordsReadMax) =>
    async (cursor: string | undefined, timeLeftMs: () => number) => {
      const types = new Map<string, TypeOfRecords>();
      let recordsRead = 0;
      let nextCursor: string | null = null;
      for await (const { rows, at } of walkList(table, recordsRange(undefined), { cursor })) {
        recordsRead += rows.length;
        for (const row of rows) count(types, row.type as string, row.id as string);
        nextCursor = at ?? null;
        if (recordsRead >= readMax || types.size >= typesMax || timeLeftMs() < reserveMs) break;
      }
      return { types: [...types.values()], recordsRead, nextCursor };
    },
);

/** Counts a record. The first one of a type is the newest. */
function count(types: Map<string, TypeOfRecords>, type: string, id: string): void {
  const entry = types.get(type);
  if (entry) entry.count++;
  else types.set(type, { type, count: 1, newestId: id, newestAt: new Date(getIdTimeMs(id)).toISOString() });
}

/** A record may have 400 KB, and a page of records is in memory at once. */
export const idsPerPage = 200;

/** The ids of all records, or of one type, newest first. */
export async function* idPages(
  { table }: Scope,
  type?: string,
  pageSize = idsPerPage,
): AsyncGenerator<string[], void> {
  const range = recordsRange(type);
  for await (const items of table.pages({ ...range, newestFirst: true, perQuery: pageSize })) {
    yield items.map((item) => item[`SK${range.index}`] as string);
  }
}
