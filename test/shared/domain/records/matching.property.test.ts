import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterPredicate, matches } from '../../../../shared/core/filters/matches.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { type RecordItem, recordEntity } from '../../../../shared/domain/records/record.ts';
import type { RecordFilters } from '../../../../shared/domain/records/record-filters.ts';
import { recordStore } from '../../../../shared/domain/records/record-store.ts';
import { decode, encode } from '../../../../shared/platform/data/entity.ts';
import { mapFromWire, mapToWire } from '../../../../shared/platform/data/requests/attribute-values.ts';
import { splitAnswer } from '../../../../shared/platform/data/requests/lazy-items.ts';
import { tenantTable } from '../../../../shared/platform/data/table.ts';
import { logged } from '../../../support/data/log-lines.ts';
import { turnsDuring } from '../../../support/suite/turns.ts';
import { fields, filterOn, instants, metadata, scalar } from '../../core/filters/arbitrary-filters.ts';

type Attributes = Record<string, unknown>;

const tenant = 'org:acme';
const moment = new Date('2026-01-02T00:00:00Z');

/** JSON that no program of ours wrote, or no metadata at all. */
const odd = fc.constantFrom<unknown>(
  '{"x":12345678901234567890,"y z":0.12345678901234567890}',
  '{"x":9007199254740993,"x.in":-1e999,"y z":1E-400}',
  '{"x":{"__proto__":{"in":7}},"__proto__":{"in":"7"},"constructor":7}',
  '{"x":1,"x":"a"}',
  ' { "x" : [ 7 , "7" , null ] } ',
  '{"x":"\\ud800","y z":"\\u0000"}',
  `{"x":"${'"\\'.repeat(2_000).replace(/["\\]/g, '\\$&')}"}`,
  ...['{', '', 'null', '[]', '[{"x":7}]', '7', '"x"', '12345678901234567890', undefined, null, 7, { x: 7 }],
);
const storedMetadata = fc.oneof(
  { weight: 3, arbitrary: metadata.map((given) => JSON.stringify(given)) },
  { weight: 1, arbitrary: odd },
);
const times = fc.constantFrom(
  '2026-01-01T00:00:00.000Z',
  '2026-01-02T00:00:00.000Z',
  '2025-12-01T07:00:00.000Z',
);
const names = fc.oneof(scalar.map(String), fc.constant('n'.repeat(20_000)));

/** What may be wrong with a stored item, or is of another release. */
const changes: Record<string, (item: Attributes & { summary: Attributes }) => unknown> = {
  none: () => {},
  'an expired item': (item) => Object.assign(item.summary, { ttl: moment.getTime() / 1_000 }),
  'an item that expires later': (item) => Object.assign(item.summary, { ttl: moment.getTime() / 1_000 + 1 }),
  'an item without a revision': (item) => delete item.revision,
  'an item whose messages are no JSON': (item) => Object.assign(item, { messages: '{' }),
  'an item without a summary': (item) => delete (item as Attributes).summary,
  'an item without a name': (item) => delete item.summary.name,
  'an item with a number as its name': (item) => Object.assign(item.summary, { name: 7 }),
  'an item without a time': (item) => delete item.updatedAt,
  'an older item, whose summary was not nested': (item) => {
    const { summary } = item;
    delete (item as Attributes).summary;
    Object.assign(item, summary);
  },
  'an item with both': (item) => Object.assign(item, { name: 'other', type: 'other' }),
  'an item of the next release': (item) => Object.assign(item, { _v: 2, more: { x: 7 } }),
};

const storedRecord = fc
  .record({
    name: names,
    type: fc.constantFrom('t', 'u', '7'),
    metadata: storedMetadata,
    createdAt: times,
    updatedAt: times,
    change: fc.oneof(fc.constant('none'), fc.constantFrom(...Object.keys(changes))),
    /** The order in which the attributes are sent. */
    order: fc.array(fc.nat(), { minLength: 20, maxLength: 20 }),
  })
  .map(({ change, order, ...given }) => {
    const record = {
      ...given,
      id: newId('record'),
      userId: 'u',
      organizationId: null,
      search: given.name.toLowerCase(),
      messages: 'null',
      revision: 1,
    };
    const item = encode(recordEntity, tenant, record) as Attributes & { summary: Attributes };
    changes[change]?.(item);
    const members = Object.entries(mapToWire(item)).map((member, index) => ({
      member,
      place: order[index] ?? 0,
    }));
    members.sort((one, other) => one.place - other.place);
    return { id: record.id, wire: Object.fromEntries(members.map(({ member }) => member)) };
  });
type Stored = { id: string; wire: Attributes };

/** As the client answers for these items: lazily, or as the SDK does for the first request of a process. */
const answering = (stored: readonly Stored[], isSplit: boolean) => {
  const json = JSON.stringify({ Responses: { table: stored.map(({ wire }) => wire) }, UnprocessedKeys: {} });
  const items = stored.map(({ wire }) => mapFromWire(wire as Parameters<typeof mapFromWire>[0]));
  const send = async () =>
    isSplit ? splitAnswer(Buffer.from(json), (others) => others) : { Responses: { table: items } };
  return { send } as unknown as DynamoDBDocumentClient;
};

/** All of them decoded, and then filtered. */
const matchingByDecoding = (stored: readonly Stored[], isMatch: (record: RecordItem) => boolean) =>
  stored.flatMap(({ wire }) => {
    const item = mapFromWire(wire as Parameters<typeof mapFromWire>[0]);
    if ((item.summary as Attributes | undefined)?.ttl === moment.getTime() / 1_000) return [];
    try {
      const record = decode(recordEntity, item);
      return isMatch(record) ? [record] : [];
    } catch {
      return [];
    }
  });

const storedRecords = fc.array(storedRecord, { minLength: 1, maxLength: 6 });
const ownFields = ['name', 'type', 'createdAt', 'updatedAt', 'metadata.name', 'metadata.x'];

test('a filter finds the same records whether it decodes all of them or looks at stored ones', async () => {
  const counts = { asked: 0, found: 0 };
  const property = fc.asyncProperty(
    storedRecords,
    filterOn([...fields, ...ownFields]),
    instants,
    fc.boolean(),
    async (stored, where, now, isSplit) => {
      const table = tenantTable(answering(stored, isSplit), 'table', tenant, () => moment);
      const expected = matchingByDecoding(stored, (record) => matches(record, where, now));
      counts.asked += stored.length;
      counts.found += expected.length;
      const { records } = await recordStore({ table, now: () => now, newId }).getMatching(
        stored.map(({ id }) => id),
        filterPredicate(where, now),
      );
      expect(records).toEqual(expected);
    },
  );
  await logged(() => fc.assert(property, { numRuns: 2_000 }));
  // It says something only where both happen often.
  expect(counts.found).toBeGreaterThan(counts.asked / 20);
  expect(counts.found).toBeLessThan(counts.asked / 1.5);
});

const keys = fc.array(fc.constantFrom(...fields), { minLength: 1, maxLength: 3 });
/** Other filters, and what each means. */
type Meaning = [RecordFilters, (record: RecordItem) => boolean];
const otherFilters = fc.oneof(
  names.map<Meaning>((name) => [{ name }, (record) => record.name === name]),
  names.map<Meaning>((search) => [
    { search },
    (record) => record.name.toLowerCase().includes(search.toLowerCase()),
  ]),
  fc.constantFrom('t', '7').map<Meaning>((type) => [{ type }, (record) => record.type === type]),
  fc.constant<Meaning>([{ importId: 'import_1' }, () => false]),
  keys.map<Meaning>((some) => [
    { metadata_keys: some },
    ({ metadata }) => some.some((key) => Object.keys(metadata).includes(key)),
  ]),
  keys.map<Meaning>((all) => [
    { metadata_keys_all: all },
    ({ metadata }) => all.every((key) => Object.keys(metadata).includes(key)),
  ]),
  fc
    .nat(3)
    .map<Meaning>((least) => [
      { min_fields: least },
      ({ metadata }) => Object.keys(metadata).length >= least,
    ]),
  fc
    .constantFrom(0.001, 1, 100)
    .map<Meaning>((most) => [
      { max_size_kb: most },
      ({ metadata }) => JSON.stringify(metadata).length <= most * 1_024,
    ]),
);

test('so do the filters of lists', async () => {
  const property = fc.asyncProperty(
    storedRecords,
    otherFilters,
    fc.boolean(),
    async (stored, [filters, isMatch], isSplit) => {
      const table = tenantTable(answering(stored, isSplit), 'table', tenant, () => moment);
      const found = await recordStore({ table, now: () => moment, newId }).stillMatching(
        filters,
        stored.map(({ id }) => id),
      );
      expect(found).toEqual(matchingByDecoding(stored, isMatch));
    },
  );
  await logged(() => fc.assert(property, { numRuns: 1_000 }));
});

test('a filter of records that take long gives way to others after each of them', async () => {
  const stored = fc.sample(storedRecord, 40);
  const table = tenantTable(answering(stored, false), 'table', tenant, () => moment);
  const { getMatching } = recordStore({ table, now: () => moment, newId });
  const ids = stored.map(({ id }) => id);
  const turns = await turnsDuring(() => getMatching(ids, () => false));
  expect(turns).toBeGreaterThanOrEqual(stored.length);
});
