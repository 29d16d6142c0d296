import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFlow } from '../../support/flows/flows.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

async function withRecords(records: { type: string; name: string; metadata?: object }[]) {
  const tenant = await newTenant();
  for (const body of records) await tenant.call('POST', '/v1/records', { body });
  return tenant;
}
const namesOf = ({ data }: { data: { name: string }[] }) => data.map(({ name }) => name);
const list = async ({ call }: Tenant, query: Record<string, string> = {}) =>
  (await call('GET', `/v1/records?${new URLSearchParams(query)}`)).body;

const people = [
  { type: 'customer', name: 'Ada' },
  { type: 'customer', name: 'ADAM' },
  { type: 'supplier', name: 'Ada' },
  { type: 'customer', name: 'Bob' },
];

test('200 with whole records, newest first, in the form that "get" returns', async () => {
  const tenant = await withRecords([
    { type: 'a', name: 'first', metadata: { n: 1 } },
    { type: 'b', name: 'second', metadata: { n: 2 } },
  ]);
  const answer = await list(tenant);
  expect(namesOf(answer)).toEqual(['second', 'first']);
  expect(answer.data[1]).toEqual((await tenant.call('GET', `/v1/records/${answer.data[1].id}`)).body);
  expect(answer.pagination).toEqual({
    nextCursor: null,
    prevCursor: null,
    hasMore: false,
    hasPrev: false,
    limit: 50,
    currentOffset: 0,
  });
  expect(answer.filtersApplied).toEqual({});
});

test.each<[Record<string, string>, string[]]>([
  [{ type: 'customer' }, ['Bob', 'ADAM', 'Ada']],
  [{ name: 'Ada' }, ['Ada', 'Ada']],
  [{ name: 'ada' }, []],
  [{ search: 'dA' }, ['Ada', 'ADAM', 'Ada']],
  [{ type: 'customer', search: 'ada' }, ['ADAM', 'Ada']],
  [{ type: 'customer', name: 'Ada' }, ['Ada']],
  [{ type: 'customer', name: 'Ada', search: 'AD' }, ['Ada']],
  [{ type: 'customer', name: 'Ada', search: 'bob' }, []],
  [{ name: 'Ada', search: 'dam' }, []],
  [{ type: 'nobody' }, []],
  [{ search: '' }, ['Bob', 'Ada', 'ADAM', 'Ada']],
])('filters %j combine with AND', async (filters, expected) => {
  const tenant = await withRecords(people);
  const answer = await list(tenant, filters);
  expect(namesOf(answer)).toEqual(expected);
  expect(answer.filtersApplied).toEqual(filters);
});

test.each<[Record<string, string>]>([[{}], [{ search: 'a' }], [{ type: 'customer', name: 'Ada' }]])(
  'includeCount adds the counts of what the filters %j match',
  async (filters) => {
    const tenant = await withRecords(people);
    const all = namesOf(await list(tenant, filters)).length;
    const { pagination } = await list(tenant, { ...filters, limit: '2', includeCount: 'true' });
    expect(pagination).toMatchObject({
      totalCount: all,
      totalPages: Math.ceil(all / 2),
      currentPage: 1,
    });
  },
);

test('paging to the end and back returns each record once, in list order', async () => {
  const property = fc.asyncProperty(
    fc.array(fc.constantFrom('red', 'green'), { maxLength: 12 }),
    fc.integer({ min: 1, max: 5 }),
    fc.constantFrom<Record<string, string>>({}, { type: 'red' }, { search: 'GREEN' }),
    async (types, limit, filters) => {
      const tenant = await withRecords(types.map((type, n) => ({ type, name: `${type} ${n}` })));
      const wanted = types
        .map((type, n) => `${type} ${n}`)
        .filter((name) => name.includes(Object.values(filters)[0]?.toLowerCase() ?? ''))
        .toReversed();
      const page = (cursor?: string) =>
        list(tenant, { ...filters, limit: String(limit), ...(cursor && { cursor }) });

      const pages = [await page()];
      while (pages.at(-1).pagination.nextCursor) pages.push(await page(pages.at(-1).pagination.nextCursor));
      expect(pages.flatMap(namesOf)).toEqual(wanted);
      expect(pages.map(({ pagination }) => pagination.currentOffset)).toEqual(pages.map((_, n) => n * limit));

      const back = [pages.at(-1)];
      while (back[0].pagination.prevCursor) back.unshift(await page(back[0].pagination.prevCursor));
      expect(back.flatMap(namesOf)).toEqual(wanted);
      expect(back.map(({ pagination }) => pagination.hasPrev)).toEqual(back.map((_, n) => n > 0));
    },
  );
  await fc.assert(property, { numRuns: 25 });
});

test('a page of large records ends early, and its cursors cover all of them in both directions', async () => {
  const text = 'x'.repeat(250_000);
  const tenant = await withRecords(
    Array.from({ length: 30 }, (_, n) => ({ type: 'a', name: `large ${n}`, metadata: { text } })),
  );
  const wanted = Array.from({ length: 30 }, (_, n) => `large ${29 - n}`);
  const pages = [await list(tenant)];
  while (pages.at(-1).pagination.nextCursor) {
    pages.push(await list(tenant, { cursor: pages.at(-1).pagination.nextCursor }));
  }
  expect(pages.flatMap(namesOf)).toEqual(wanted);
  expect(pages.map(({ data }) => data.length)).toEqual([19, 11]);
  const back = await list(tenant, { cursor: pages[1].pagination.prevCursor });
  expect(namesOf(back)).toEqual(namesOf(pages[0]));
  expect(pages[0].pagination).toMatchObject({ limit: 50, hasMore: true, hasPrev: false });
});

test.each([
  ['limit', '0'],
  ['limit', '-1'],
  ['limit', 'abc'],
  ['limit', '101'],
  ['limit', '1.5'],
  ['cursor', 'garbled'],
  ['direction', 'sideways'],
  ['includeCount', 'maybe'],
  ['type', 'x'.repeat(256)],
])('400 for %s=%s', async (parameter, value) => {
  const { call } = await newTenant();
  const { status, body } = await call('GET', `/v1/records?${new URLSearchParams({ [parameter]: value })}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: 'Validation error', details: [{ path: parameter }] });
});

test('another tenant’s records are not listed, neither by type and name nor with that tenant’s cursor', async () => {
  const [one, other] = await Promise.all([withRecords(people), newTenant()]);
  const { nextCursor } = (await list(one, { limit: '1' })).pagination;
  const queries = [{}, { type: 'customer' }, { type: 'customer', name: 'Ada' }, { cursor: nextCursor }];
  for (const query of queries) expect((await list(other, query)).data).toEqual([]);
});

test('400 for a flow cursor, and for a record cursor in the list of flows', async () => {
  const tenant = await withRecords(people);
  for (const name of ['A', 'B']) await createFlow(tenant, [], name);
  const cursorOf = async (path: string) =>
    (await tenant.call('GET', `${path}?limit=1`)).body.pagination.nextCursor;
  for (const [from, path] of [
    ['/v1/flows', '/v1/records'],
    ['/v1/records', '/v1/flows'],
  ] as const) {
    const cursor = await cursorOf(from);
    expect((await tenant.call('GET', `${from}?cursor=${cursor}`)).status).toBe(200);
    const { status, body } = await tenant.call('GET', `${path}?cursor=${cursor}`);
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path: 'cursor', code: 'INVALID_CURSOR' }]);
  }
});

test('403 without RECORDS:READ', async () => {
  const { call } = await newTenant({ permissions: ['RECORDS:WRITE'] });
  const { status, body } = await call('GET', '/v1/records');
  expect(status).toBe(403);
  expect(body).toEqual({ error: 'Forbidden', details: 'Missing required permission: RECORDS:READ' });
});
