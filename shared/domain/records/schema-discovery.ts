import {
  getFieldValue,
  isPlainNumber,
  isSet,
  metadataFieldPath,
  parseInstant,
  recordFields,
  toBoolean,
} from '../../core/filters/comparison.ts';
import { using } from '../../platform/aws/uses.ts';
import { countRows } from '../../platform/data/lists/counts.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { responseBytesMax, takeWithinBytes } from '../../platform/http/responses/body-sizes.ts';
import { visitNewestRecords } from './newest-records.ts';
import { countJsonBytes, type RecordItem, recordsRange } from './record.ts';

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
