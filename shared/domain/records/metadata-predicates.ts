import { filterPredicate } from '../../core/filters/matches.ts';
import { jsonBytes } from './limits.ts';
import type { RecordItem } from './record.ts';
import type { RecordFilters } from './record-filters.ts';

export const fieldTypes = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const;
const largeFieldBytes = 10 * 1024;

type Test = (record: RecordItem) => boolean;

/** The filters that need whole records and no index can answer; undefined if there are none. */
export function metadataPredicate(filters: RecordFilters, now: Date): Test | undefined {
  const tests = Object.entries(testsFor).flatMap(([name, testFor]) => {
    const value = filters[name as keyof RecordFilters];
    return value === undefined ? [] : [testFor(value as never, now)];
  });
  const asked = tests.filter((test) => test !== undefined);
  return asked.length > 0 ? (record) => asked.every((test) => test(record)) : undefined;
}

type Asked = Required<{ [Name in keyof RecordFilters]: NonNullable<RecordFilters[Name]> }>;

const testsFor: { [Name in keyof Asked]?: (value: Asked[Name], now: Date) => Test | undefined } = {
  recordFilter: ({ where }, now) => where && filterPredicate(where, now),
  metadata_keys: (keys) => (record) => keys.some((key) => Object.hasOwn(record.metadata, key)),
  metadata_keys_all: (keys) => (record) => keys.every((key) => Object.hasOwn(record.metadata, key)),
  min_fields: (least) => (record) => fieldsOf(record).length >= least,
  max_fields: (most) => (record) => fieldsOf(record).length <= most,
  metadata_types: (types) => (record) => fieldsOf(record).some((value) => types.includes(typeOf(value))),
  has_large_fields: (wanted) => (record) =>
    fieldsOf(record).some((value) => jsonBytes(value) > largeFieldBytes) === wanted,
  min_size_kb: (least) => (record) => jsonBytes(record.metadata) >= least * 1024,
  max_size_kb: (most) => (record) => jsonBytes(record.metadata) <= most * 1024,
};

const fieldsOf = ({ metadata }: RecordItem) => Object.values(metadata);

function typeOf(value: unknown): (typeof fieldTypes)[number] {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as (typeof fieldTypes)[number]);
}
