import { expect, test } from 'vitest';
import { recordStore } from '../../../shared/domain/records/record-store.ts';
import { type SentRecord, withRecords } from '../../support/data/records.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

type Query = Record<string, string>;
const ask = async ({ call }: Tenant, query: Query) =>
  call('GET', `/v1/records?${new URLSearchParams(query)}`);
const list = async (tenant: Tenant, query: Query) => (await ask(tenant, query)).body;
const namesOf = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name);

async function pagedNames(tenant: Tenant, query: Query): Promise<string[]> {
  const names: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list(tenant, { ...query, ...(cursor && { cursor }) });
    names.push(...namesOf(page));
    cursor = page.pagination.nextCursor;
  }
  return names;
}

const manyOf = (type: string, count: number): SentRecord[] =>
  Array.from({ length: count }, (_, n) => ({ type, name: `record ${n}`, metadata: { n } }));

const things: SentRecord[] = [
  { type: 'shop', name: 'Oslo', metadata: { zip: '0150', size: 12, open: true } },
  { type: 'shop', name: 'Bergen', metadata: { zip: '5003', owner: { name: 'Ada' }, tags: ['old'] } },
  { type: 'shop', name: 'Empty', metadata: {} },
  { type: 'depot', name: 'Oslo', metadata: { size: null, note: 'x'.repeat(12_000) } },
];
const filter = (type: string, where?: object) => ({ recordFilter: JSON.stringify({ type, where }) });

test.each<[Query, string[]]>([
  [filter('shop'), ['Empty', 'Bergen', 'Oslo']],
  [filter('shop', { field: 'zip', op: 'lt', value: 1_000 }), ['Oslo']],
  [filter('shop', { field: 'owner.name', op: 'eq', value: 'Ada' }), ['Bergen']],
  [{ ...filter('shop', { field: 'zip', op: 'isSet' }), search: 'OSL' }, ['Oslo']],
  [{ ...filter('shop', { field: 'zip', op: 'isSet' }), type: 'shop', name: 'Bergen' }, ['Bergen']],
  [{ ...filter('shop', { field: 'zip', op: 'isNotSet' }), type: 'shop', name: 'Bergen' }, []],
  [{ ...filter('shop'), name: 'Oslo' }, ['Oslo']],
  [{ ...filter('shop'), type: 'depot' }, []],
  [{ metadata_keys: 'open,note' }, ['Oslo', 'Oslo']],
  [{ metadata_keys: 'size', type: 'shop' }, ['Oslo']],
  [{ metadata_keys_all: ' zip , size ' }, ['Oslo']],
  [{ metadata_keys: 'constructor,__proto__,toString' }, []],
  [{ min_fields: '3' }, ['Bergen', 'Oslo']],
  [{ max_fields: '0' }, ['Empty']],
  [{ min_fields: '1', max_fields: '2' }, ['Oslo']],
  [{ min_fields: '3', max_fields: '1' }, []],
  [{ metadata_types: 'number,array' }, ['Bergen', 'Oslo']],
  [{ metadata_types: 'null' }, ['Oslo']],
  [{ metadata_types: 'object', name: 'Bergen' }, ['Bergen']],
  [{ has_large_fields: 'true' }, ['Oslo']],
  [{ has_large_fields: 'false' }, ['Empty', 'Bergen', 'Oslo']],
  [{ min_size_kb: '10' }, ['Oslo']],
  [{ max_size_kb: '0.01' }, ['Empty']],
  [{ product_surface_id: 'surface_none' }, []],
  [{ distinct: 'type' }, ['Oslo', 'Empty']],
  [{ distinct: 'type', type: 'shop' }, ['Empty']],
  [{ distinct: 'type', metadata_keys: 'zip,note' }, ['Oslo', 'Bergen']],
  [{ distinct: 'type', ...filter('shop', { field: 'zip', op: 'isSet' }) }, ['Bergen']],
  [{ distinct: 'type', search: 'oslo' }, ['Oslo', 'Oslo']],
])('filters %j', async (query, expected) => {
  const tenant = await withRecords(things);
  const answer = await list(tenant, query);
  expect(namesOf(answer)).toEqual(expected);
  const counted = await list(tenant, { ...query, includeCount: 'true', limit: '1' });
  expect(counted.pagination).toMatchObject({ totalCount: expected.length });
  expect(await pagedNames(tenant, { ...query, limit: '1' })).toEqual(expected);
});

test.each<[Query]>([[{ includeFields: 'zip, owner,none' }], [{ include_fields: 'zip,owner' }]])(
  '%j limits the metadata to these fields',
  async (query) => {
    const answer = await list(await withRecords(things), { type: 'shop', ...query });
    expect(answer.data.map(({ metadata }: SentRecord) => metadata)).toEqual([
      {},
      { zip: '5003', owner: { name: 'Ada' } },
      { zip: '0150' },
    ]);
  },
);

test('the response lists the applied filters', async () => {
  const query = { ...filter('shop'), metadata_keys: 'a,b', min_fields: '2', has_large_fields: 'false' };
  const { filtersApplied } = await list(await withRecords([]), query);
  expect(filtersApplied).toEqual({
    recordFilter: { type: 'shop' },
    metadata_keys: ['a', 'b'],
    min_fields: 2,
    has_large_fields: false,
  });
});

const whereOf = (where: object) => filter('shop', where).recordFilter;
const leaf = { field: 'a', op: 'isSet' };
const nested = (depth: number): object =>
  depth === 0 ? leaf : { op: 'and', conditions: [nested(depth - 1)] };

test.each([
  ['recordFilter', '{', 'recordFilter', 'INVALID_JSON'],
  ['recordFilter', '[]', 'recordFilter', 'INVALID_TYPE'],
  ['recordFilter', '{}', 'recordFilter.type', 'MISSING_REQUIRED_FIELD'],
  ['recordFilter', '{"type":"a","where":{},"more":1}', 'recordFilter.more', 'UNKNOWN_MEMBER'],
  ['recordFilter', whereOf({ field: 'a', op: 'like', value: 1 }), 'recordFilter.where.op', undefined],
  ['recordFilter', whereOf({ field: ' a', op: 'isSet' }), 'recordFilter.where.field', undefined],
  [
    'recordFilter',
    whereOf({ op: 'and', conditions: [{ field: 'a', op: 'between', value: [2, 1] }] }),
    'recordFilter.where.conditions.0',
    undefined,
  ],
  [
    'recordFilter',
    whereOf(nested(4)),
    'recordFilter.where.conditions.0.conditions.0.conditions.0.op',
    undefined,
  ],
  [
    'recordFilter',
    whereOf({ op: 'or', conditions: Array(51).fill(leaf) }),
    'recordFilter.where.conditions',
    'TOO_BIG',
  ],
  ['metadata_keys', ' , ', 'metadata_keys', 'TOO_SMALL'],
  ['metadata_keys_all', '', 'metadata_keys_all', 'TOO_SMALL'],
  ['min_fields', '-1', 'min_fields', undefined],
  ['max_fields', '1.5', 'max_fields', undefined],
  ['max_fields', 'many', 'max_fields', undefined],
  ['metadata_types', 'string,date', 'metadata_types.1', 'INVALID_ENUM'],
  ['has_large_fields', 'yes', 'has_large_fields', 'INVALID_ENUM'],
  ['min_size_kb', 'NaN', 'min_size_kb', undefined],
  ['max_size_kb', '1e3', 'max_size_kb', undefined],
  ['distinct', 'name', 'distinct', undefined],
  ['includeFields', '', 'includeFields', 'TOO_SMALL'],
  ['product_surface_id', '', 'product_surface_id', 'TOO_SMALL'],
])('400 for %s=%s at %s, from the list and from the export', async (parameter, value, path, code) => {
  const { call } = await newTenant();
  for (const route of ['/v1/records', '/v1/records/export']) {
    const { status, body } = await call('GET', `${route}?${new URLSearchParams({ [parameter]: value })}`);
    expect({ status, details: body.details }).toMatchObject({
      status: 400,
      details: expect.arrayContaining([expect.objectContaining({ path, ...(code && { code }) })]),
    });
  }
});

test('a filter without matches reads 2,000 records per page, and its cursors lead to the end and back', async () => {
  const drafts = manyOf('many', 2_200);
  Object.assign(drafts[100]?.metadata ?? {}, { wanted: true });
  const tenant = await withRecords(drafts);
  const runtime = countingRuntime();
  const records = recordStore(runtime.scopeOf(tenant.tenant));
  const empty = await records.list({ metadata_keys: ['none'] }, { limit: 50 });
  expect(empty).toMatchObject({ records: [], pagination: { hasMore: true, hasPrev: false } });
  expect(runtime.consumed.commands.length).toBeLessThan(40);
  expect(runtime.consumed.capacityUnits).toBeLessThan(2_400);

  const query = { metadata_keys: 'wanted' };
  const pages = [await list(tenant, query)];
  while (pages.at(-1).pagination.nextCursor) {
    pages.push(await list(tenant, { ...query, cursor: pages.at(-1).pagination.nextCursor }));
  }
  expect(pages.map(namesOf)).toEqual([[], ['record 100']]);
  const back = [pages.at(-1)];
  while (back[0].pagination.prevCursor) {
    back.unshift(await list(tenant, { ...query, cursor: back[0].pagination.prevCursor }));
  }
  expect(back.flatMap(namesOf)).toEqual(['record 100']);
  expect(back[0].pagination).toMatchObject({ hasPrev: false, currentOffset: 0 });

  const { pagination } = await list(tenant, { ...query, includeCount: 'true' });
  expect(pagination).toMatchObject({ totalCount: 0, countIsMinimum: true });
});

test('a count reads as far as a page, and says that there may be more', async () => {
  const text = 'x'.repeat(250_000);
  const drafts = Array.from({ length: 110 }, (_, n) => ({
    type: 'large',
    name: `${n}`,
    metadata: { n, text },
  }));
  const tenant = await withRecords(drafts);
  const { data, pagination } = await list(tenant, {
    ...filter('large', { field: 'n', op: 'lt', value: 0 }),
    includeCount: 'true',
  });
  expect(data).toEqual([]);
  expect(pagination).toMatchObject({ hasMore: true, totalCount: 0, countIsMinimum: true });
});

test('distinct returns a type once per page; a later page repeats it if its newest record is too far back to look up', async () => {
  const old = [
    { type: 'a', name: 'older', metadata: { wanted: true } },
    { type: 'b', name: 'other', metadata: { wanted: true } },
    { type: 'a', name: 'newer', metadata: { wanted: true } },
  ];
  const near = await withRecords([...old, ...manyOf('a', 20)]);
  const far = await withRecords([...old, ...manyOf('a', 300)]);
  const query = { distinct: 'type', metadata_keys: 'wanted' };
  for (const tenant of [near, far]) {
    expect(namesOf(await list(tenant, query))).toEqual(['newer', 'other']);
  }
  expect(await pagedNames(near, { ...query, limit: '1' })).toEqual(['newer', 'other']);
  expect(await pagedNames(far, { ...query, limit: '1' })).toEqual(['newer', 'other', 'older']);
});

test('no filter finds another tenant’s records', async () => {
  const [owner, stranger] = await Promise.all([withRecords(things), newTenant()]);
  const { nextCursor } = (await list(owner, { ...filter('shop'), limit: '1' })).pagination;
  for (const query of [filter('shop'), { metadata_keys: 'zip' }, { ...filter('shop'), cursor: nextCursor }]) {
    expect((await list(stranger, query)).data).toEqual([]);
  }
});
