import { expect, test } from 'vitest';
import { newRecord, uploadRows } from '../../support/data/records.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const schemaOf = ({ call }: Tenant, query: Record<string, string>) =>
  call('GET', `/v1/records/schema?${new URLSearchParams(query)}`);

test('returns the fields of the records, with their types, examples and how many records set them', async () => {
  const tenant = await newTenant();
  const since = '2026-01-31T10:00:00Z';
  await newRecord(tenant, { name: '1', metadata: { city: 'Oslo', zip: '0150', size: '7.5', since } });
  await newRecord(tenant, { name: '2', metadata: { city: 'Rome', size: 8, open: 'TRUE', tags: ['x'] } });
  await newRecord(tenant, {
    name: '3',
    metadata: { city: 'Oslo', size: 'large', blank: ' ', none: null, customer: { tier: { level: 1 } } },
  });
  await newRecord(tenant, { name: '4', type: 'other', metadata: { other: 1 } });
  const before = new Date().toISOString();
  const { status, body } = await schemaOf(tenant, { type: 'a' });
  expect(status).toBe(200);
  expect(body).toEqual({
    type: 'a',
    fields: expect.any(Array),
    sampledRecords: 3,
    totalRecords: 3,
    countIsMinimum: false,
    sampledAt: body.sampledAt,
  });
  expect(body.sampledAt >= before).toBe(true);
  expect(body.fields.slice(0, 2)).toEqual([
    { name: 'city', types: ['string'], count: 3, examples: ['Oslo', 'Rome'] },
    { name: 'size', types: ['number', 'string'], count: 3, examples: ['large', 8, '7.5'] },
  ]);
  expect(body.fields.slice(2)).toHaveLength(5);
  expect(body.fields.slice(2)).toEqual(
    expect.arrayContaining([
      { name: 'zip', types: ['string'], count: 1, examples: ['0150'] },
      { name: 'since', types: ['date'], count: 1, examples: [since] },
      { name: 'open', types: ['boolean'], count: 1, examples: ['TRUE'] },
      { name: 'tags', types: ['array'], count: 1, examples: [['x']] },
      { name: 'customer.tier.level', types: ['number'], count: 1, examples: [1] },
    ]),
  );
});

test('a filter finds a field by the name that the schema returns', async () => {
  const tenant = await newTenant();
  const metadata = {
    name: 'inner',
    createdAt: 'then',
    'a b$': 1,
    'x.y': 2,
    x: { y: 3, z: 4 },
    empty: {},
    deep: { 'with.dot': 5 },
    constructor: 'c',
    metadata: { type: 'nested' },
  };
  const { id } = await newRecord(tenant, { name: 'outer', metadata });
  const { fields } = (await schemaOf(tenant, { type: 'a' })).body;
  const names = fields.map(({ name }: { name: string }) => name);
  expect(names.toSorted()).toEqual(
    [
      'a b$',
      'constructor',
      'empty',
      'metadata.createdAt',
      'metadata.name',
      'metadata.type',
      'x.y',
      'x.z',
    ].toSorted(),
  );
  for (const { name, examples } of fields) {
    const where =
      name === 'empty' ? { field: name, op: 'isSet' } : { field: name, op: 'eq', value: examples[0] };
    const body = { recordFilter: { type: 'a', where }, updates: { x: 1 }, dryRun: true };
    const found = await tenant.call('POST', '/v1/records/bulk-edit', { body });
    expect(found.body.recordIds, name).toEqual([id]);
  }
});

test('reads the newest records, as many as requested, and counts all', async () => {
  const tenant = await newTenant();
  const rows = Array.from({ length: 250 }, (_, n) => ({ name: `row ${n}`, n }));
  await uploadRows(tenant, 'row', rows);
  const sampled = async (query: object) => {
    const { body } = await schemaOf(tenant, { type: 'row', ...query });
    return [body.sampledRecords, body.fields[0].count, body.fields[0].examples[0], body.totalRecords];
  };
  expect(await sampled({})).toEqual([100, 100, '249', 250]);
  expect(await sampled({ sample: '1' })).toEqual([1, 1, '249', 250]);
  expect(await sampled({ sample: '240' })).toEqual([240, 240, '249', 250]);
  expect(await sampled({ sample: '1000' })).toEqual([250, 250, '249', 250]);
});

test('returns at most five examples, with long texts truncated and long lists left out', async () => {
  const tenant = await newTenant();
  const list = Array(500).fill('x');
  for (let n = 0; n < 7; n++)
    await newRecord(tenant, { name: `${n}`, metadata: { n, long: '😀'.repeat(150), list } });
  const { fields } = (await schemaOf(tenant, { type: 'a' })).body;
  expect(fields).toEqual([
    { name: 'n', types: ['number'], count: 7, examples: [6, 5, 4, 3, 2] },
    { name: 'long', types: ['string'], count: 7, examples: [`${'😀'.repeat(100)}…`] },
    { name: 'list', types: ['array'], count: 7, examples: [] },
  ]);
});

test('returns the first 1,000 of very many fields', async () => {
  const tenant = await newTenant();
  const metadata = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`field ${n}`, n]));
  await newRecord(tenant, { name: 'wide', metadata });
  await newRecord(tenant, { name: 'narrow', metadata: { 'field 1499': 1 } });
  const { fields } = (await schemaOf(tenant, { type: 'a' })).body;
  expect(fields).toHaveLength(1_000);
  expect(fields[0]).toMatchObject({ name: 'field 1499', count: 2 });
});

test('a type without records has no fields, nor has another tenant’s type', async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  await newRecord(other, { name: 'theirs', metadata: { a: 1 } });
  const { status, body } = await schemaOf(tenant, { type: 'a' });
  expect(status).toBe(200);
  expect(body).toMatchObject({ type: 'a', fields: [], sampledRecords: 0, totalRecords: 0 });
});

test.each([
  ['no type', {}, 'type'],
  ['an empty type', { type: '' }, 'type'],
  ['a sample of 0', { type: 'a', sample: '0' }, 'sample'],
  ['a sample of 1,001', { type: 'a', sample: '1001' }, 'sample'],
  ['a sample that is no number', { type: 'a', sample: '1e2' }, 'sample'],
])('400 for %s', async (_, query, path) => {
  const { status, body } = await schemaOf(await newTenant(), query);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: 'Validation error', details: [{ path }] });
});

test('403 without RECORDS:READ', async () => {
  const tenant = await newTenant({ permissions: ['RECORDS:WRITE'] });
  expect((await schemaOf(tenant, { type: 'a' })).status).toBe(403);
});
