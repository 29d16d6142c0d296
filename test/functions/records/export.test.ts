import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exportRecords } from '../../../functions/records/export.ts';
import { csvExporter } from '../../../shared/domain/records/csv/export-csv.ts';
import { recordStore } from '../../../shared/domain/records/record-store.ts';
import type { StreamedBody } from '../../../shared/platform/http/responses/streamed-body.ts';
import { type SentRecord, withRecords } from '../../support/data/records.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const storeOf = ({ tenant }: Tenant) => recordStore(countingRuntime().scopeOf(tenant));

const exported = ({ call }: Tenant, query: Record<string, string> = {}) =>
  call('GET', `/v1/records/export?${new URLSearchParams(query)}`);

async function upload(
  { call }: Tenant,
  csv: string,
  fields: Record<string, string> = { typeColumn: 'type' },
) {
  const body = new FormData();
  body.append('file', new File([csv], 'records.csv'));
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  return (await call('POST', '/v1/records/upload-csv', { body })).body;
}

const draftOf = ({ type, name, metadata }: SentRecord) => ({ type, name, metadata });

test('200 with a file that has one row per record, newest first', async () => {
  const tenant = await withRecords([
    { type: 'a', name: 'first', metadata: { note: 'one, "two"\nthree', n: 1.5 } },
    { type: 'b', name: 'second', metadata: { name: 'inner', type: 't', list: [1, { x: null }], off: false } },
  ]);
  const { status, headers, body } = await exported(tenant);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe('attachment; filename="records.csv"');
  expect(Number(headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
  expect(body).toBe(
    [
      'name,type,metadata.name,metadata.type,list,off,note,n',
      'second,b,inner,t,"[1,{""x"":null}]",false,,',
      'first,a,,,,,"one, ""two""\nthree",1.5',
      '',
    ].join('\r\n'),
  );
});

test.each<[Record<string, string>, string]>([
  [{ type: 'a' }, 'name,type,n\r\nthree,a,3\r\none,a,1\r\n'],
  [{ name: 'two' }, 'name,type,n,m\r\ntwo,b,2,x\r\n'],
  [{ type: 'a', name: 'one' }, 'name,type,n\r\none,a,1\r\n'],
  [{ search: 'T', includeFields: 'm,n' }, 'name,type,m,n\r\nthree,a,,3\r\ntwo,b,x,2\r\n'],
  [{ metadata_keys: 'm' }, 'name,type,n,m\r\ntwo,b,2,x\r\n'],
  [{ distinct: 'type', include_fields: 'n' }, 'name,type,n\r\nthree,a,3\r\ntwo,b,2\r\n'],
  [
    { recordFilter: JSON.stringify({ type: 'a', where: { field: 'n', op: 'gt', value: 1 } }) },
    'name,type,n\r\nthree,a,3\r\n',
  ],
])('the list’s filters %j', async (query, csv) => {
  const tenant = await withRecords([
    { type: 'a', name: 'one', metadata: { n: 1 } },
    { type: 'b', name: 'two', metadata: { n: 2, m: 'x' } },
    { type: 'a', name: 'three', metadata: { n: 3 } },
  ]);
  expect((await exported(tenant, query)).body).toBe(csv);
});

test('204 if there are no records, and for another tenant', async () => {
  const [owner, stranger] = await Promise.all([
    withRecords([{ type: 'a', name: 'x', metadata: {} }]),
    newTenant(),
  ]);
  for (const answer of [await exported(stranger), await exported(owner, { type: 'none' })]) {
    expect(answer).toMatchObject({ status: 204, body: '' });
    expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/);
  }
});

test('400 for more columns than a file allows, until the request names its columns', async () => {
  const metadata = (from: number) =>
    Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`key ${from + n}`, 'x']));
  const tenant = await withRecords([
    { type: 'a', name: 'x', metadata: metadata(0) },
    { type: 'a', name: 'y', metadata: metadata(3_000) },
  ]);
  expect(await exported(tenant)).toMatchObject({
    status: 400,
    body: { details: [{ path: 'includeFields', code: 'TOO_MANY_COLUMNS' }] },
  });
  expect((await exported(tenant, { includeFields: 'key 1' })).body).toBe(
    'name,type,key 1\r\ny,a,\r\nx,a,x\r\n',
  );
});

const everything = { filters: {}, keys: undefined, isOver: () => false };

test('an export whose search for records takes minutes ends, and says where to continue', async () => {
  const names = Array.from({ length: 230 }, (_, n) => `${n}`).toReversed();
  const tenant = await withRecords(
    names.toReversed().map((name) => ({ type: 'a', name, metadata: { n: name } })),
  );
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const needs = { exported: exportRecords.needs.exported(scope) };
  const rows: string[] = [];
  for (let after: string | undefined, parts = 1; ; parts++) {
    const timeLeft = [900_000];
    const request = { query: { after, includeFields: ['n'] }, timeLeftMs: () => timeLeft.shift() ?? 600_000 };
    const { headers, stream } = (await exportRecords.handle(request as never, needs)) as StreamedBody;
    expect(headers?.['content-disposition']).toContain('records-part.csv');
    const [header, ...lines] = (await text(stream)).trimEnd().split('\r\n');
    expect(header).toBe('name,type,n');
    rows.push(...lines);
    after = headers?.['x-next-after'];
    if (!after) {
      expect(parts).toBe(3);
      break;
    }
  }
  expect(rows).toEqual(names.map((name) => `${name},a,${name}`));
});

const part = (records: number, bytes = 190_000_000) => ({ records, bytes });

test.each([
  ['records', {}, part(1)],
  ['bytes', {}, part(100_000, 200)],
  ['records of each type', { distinct: 'type' as const }, part(1)],
  ['records of a filter', { metadata_keys: ['m'] }, part(1)],
  ['a name', { type: 'a', name: '7' }, part(1)],
])('an export in parts of a few %s has the rows of an export in one', async (_what, filters, limits) => {
  const drafts = Array.from({ length: 450 }, (_, n) => ({
    type: n % 100 === 3 ? `rare ${n}` : 'a',
    name: `${n}`,
    metadata: { n, ...(n % 9 === 0 && { m: 1 }) },
  }));
  const tenant = await withRecords(drafts);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const whole = await csvExporter(scope)({ ...everything, filters, keys: ['n'] });
  expect(whole?.next).toBeUndefined();
  const rows: string[] = [];
  for (let after: string | undefined; ; ) {
    const one = await csvExporter(scope, limits)({ ...everything, filters, keys: ['n'], after });
    const [, ...lines] = (await Array.fromAsync(one?.chunks ?? [])).join('').split('\r\n').filter(Boolean);
    rows.push(...lines);
    after = one?.next;
    if (!after) break;
  }
  const [, ...expected] = (await Array.fromAsync(whole?.chunks ?? [])).join('').split('\r\n').filter(Boolean);
  expect(expected.length).toBeGreaterThan(0);
  expect(rows).toEqual(expected);
});

test('204 after the last record', async () => {
  const tenant = await withRecords([{ type: 'a', name: 'x', metadata: {} }]);
  const { data } = (await tenant.call('GET', '/v1/records')).body;
  expect(await exported(tenant, { after: data[0].id })).toMatchObject({ status: 204, body: '' });
  expect((await exported(tenant, { after: 'x' })).status).toBe(400);
});

test('records created during the export are left out, and the columns stay the same', async () => {
  const tenant = await withRecords([{ type: 'a', name: 'x', metadata: { n: 'old' } }]);
  const store = storeOf(tenant);
  const exporter = exportRecords.needs.exported(countingRuntime().scopeOf(tenant.tenant));
  const pieces = (await exporter(everything))?.chunks;
  const [record] = (await store.list({}, { limit: 1 })).records;
  await store.update(record?.id ?? '', { metadata: { n: 'new', added: 'y' } });
  await store.create(tenant, { type: 'a', name: 'later', metadata: {}, messages: null });
  const text = (await Array.fromAsync(pieces ?? [])).join('');
  expect(text).toBe('name,type,n\r\nx,a,new\r\n');
});

test('rows are read on demand, so that a file of any length needs constant memory', async () => {
  const drafts = Array.from({ length: 300 }, (_, n) => ({ type: 'a', name: `${n}`, metadata: { n } }));
  const tenant = await withRecords(drafts);
  const runtime = countingRuntime();
  const exporter = exportRecords.needs.exported(runtime.scopeOf(tenant.tenant));
  const pieces = (await exporter(everything))?.chunks;
  const taking = async () => {
    runtime.reset();
    const piece = await pieces?.next();
    return [piece?.value?.split('\r\n').length, ...runtime.consumed.commands];
  };
  expect(await taking()).toEqual([2]);
  expect(await taking()).toEqual([101, 'BatchGetItem']);
  expect(await taking()).toEqual([101, 'BatchGetItem']);
});

test('records that a filter excludes are read once, and records changed since then are not written', async () => {
  const drafts = Array.from({ length: 300 }, (_, n) => ({ type: 'a', name: `${n}`, metadata: { n } }));
  const tenant = await withRecords(drafts);
  const runtime = countingRuntime();
  const exporter = exportRecords.needs.exported(runtime.scopeOf(tenant.tenant));
  const where = { field: 'n', op: 'lt' as const, value: 3 };
  const asked = { ...everything, filters: { recordFilter: { type: 'a', where } } };
  const pieces = (await exporter(asked))?.chunks;
  const { data } = (await tenant.call('GET', '/v1/records?type=a&name=1')).body;
  await tenant.call('PUT', `/v1/records/${data[0].id}`, { body: { metadata: { n: 7 } } });
  runtime.reset();
  expect((await Array.fromAsync(pieces ?? [])).join('')).toBe('name,type,n\r\n2,a,2\r\n0,a,0\r\n');
  expect(runtime.consumed.commands).toEqual(['BatchGetItem']);
});

test.each([
  ['=1+1', "'=1+1"],
  ['+1', '+1'],
  ['-89.25', '-89.25'],
  ['-1+1', "'-1+1"],
  ["'-1", "''-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ["'=1", "''=1"],
  ["'quoted'", "'quoted'"],
  ['1-1', '1-1'],
])('a cell %j cannot be read as a formula, and an upload restores its value', async (text, cell) => {
  const tenant = await withRecords([{ type: 'a', name: text, metadata: { [`${text.trim()}`]: text } }]);
  const { body } = await exported(tenant);
  expect(body.split('\r\n')[1].startsWith(`${cell},a,`)).toBe(true);
  expect(body).not.toMatch(/(^|,|\n|")[=+@-](?!\d+(\.\d+)?[,\r\n"])/);
  const copy = await upload(await newTenant(), body);
  expect(copy.records.map(draftOf)).toEqual([{ type: 'a', name: text, metadata: { [text.trim()]: text } }]);
});

test('metadata.name is a separate column only beside one called name', async () => {
  const csv = 'iata,name,metadata.name\r\nJFK,Kennedy,x\r\n';
  const { records } = await upload(await newTenant(), csv, { nameColumn: 'iata', typeValue: 'a' });
  expect(records.map(draftOf)).toEqual([
    { type: 'a', name: 'JFK', metadata: { name: 'Kennedy', 'metadata.name': 'x' } },
  ]);
});

/** Texts made of what CSV files and spreadsheets stumble over. A blank one is no cell, and a NUL is no text. */
const texts = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...`='"+-@,;\t\r\n aß＝😀{.`), minLength: 1, maxLength: 8 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  )
  .filter((text) => text.trim() !== '' && !text.includes('\0'));
const keys = fc.oneof(
  fc.constantFrom(
    'name',
    'type',
    'metadata.name',
    'metadata.metadata.type',
    'metadata.x',
    'Name',
    'constructor',
    "'=a",
  ),
  texts.filter((text) => text.trim() === text),
);
const drafts = fc.uniqueArray(
  fc.record({
    type: fc.oneof(fc.constantFrom('a', 'b'), texts),
    name: texts,
    metadata: fc.dictionary(keys, texts, { maxKeys: 5 }),
  }),
  { selector: ({ type, name }) => `${type}\0${name}`, minLength: 1, maxLength: 6 },
);

test('an export uploaded elsewhere yields the same records', async () => {
  const property = fc.asyncProperty(drafts, async (given) => {
    const [tenant, other] = await Promise.all([withRecords(given), newTenant()]);
    const answer = await upload(other, (await exported(tenant)).body);
    expect(answer).toMatchObject({ errors: 0, created: given.length });
    const { data } = (await other.call('GET', '/v1/records?limit=100')).body;
    const asText = (draft: SentRecord) => JSON.stringify([draft.type, draft.name]);
    const sorted = (list: SentRecord[]) =>
      list.map(draftOf).toSorted((a, b) => (asText(a) < asText(b) ? -1 : 1));
    expect(sorted(data)).toEqual(
      sorted(given.map((draft) => ({ ...draft, metadata: { ...draft.metadata } }))),
    );
  });
  await fc.assert(property, { numRuns: 40 });
}, 120_000);

test('large records are read few at a time, so that a slow reader does not keep many in memory', async () => {
  const metadata = { text: 'x'.repeat(150_000) };
  const drafts = Array.from({ length: 20 }, (_, n) => ({ type: 'large', name: `large-${n}`, metadata }));
  const tenant = await withRecords(drafts);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const asked = { filters: { type: 'large' }, keys: undefined, isOver: () => false };
  const part = await csvExporter(scope)(asked);
  const sizes = (await Array.fromAsync(part?.chunks ?? [])).map(({ length }) => length);
  expect(Math.max(...sizes)).toBeLessThan(1_500_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(20 * 150_000);
});

test('of a tenant, two exports at a time look through the records before their first row', async () => {
  const tenant = await withRecords([{ type: 'a', name: 'one', metadata: {} }]);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  let [surveys, most] = [0, 0];
  const walk: typeof scope.table.walk = async function* (options) {
    most = Math.max(most, ++surveys);
    try {
      yield* scope.table.walk(options);
    } finally {
      surveys--;
    }
  };
  const exporter = csvExporter({ ...scope, table: { ...scope.table, walk } });
  const asked = { filters: { type: 'a' }, keys: undefined, isOver: () => false };
  const parts = await Promise.all(Array.from({ length: 8 }, () => exporter(asked)));
  expect(parts.every((part) => part !== undefined)).toBe(true);
  expect(most).toBe(2);
});
