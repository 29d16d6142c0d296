import { expect, test } from 'vitest';
import { fieldValues } from '../../../shared/domain/records/schema-discovery.ts';
import { newRecord, uploadRows } from '../../support/data/records.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const valuesOf = ({ call }: Tenant, query: Record<string, string>) =>
  call('GET', `/v1/records/field-values?${new URLSearchParams({ type: 'a', ...query })}`);

async function withMetadata(...all: unknown[]) {
  const tenant = await newTenant();
  for (const [n, metadata] of all.entries()) await newRecord(tenant, { name: `record ${n}`, metadata });
  return tenant;
}

test('counts the distinct values, the most frequent first', async () => {
  const tenant = await withMetadata(
    { a: 'x' },
    { a: 'y' },
    { a: 'y' },
    { a: 7 },
    { a: '7' },
    { a: false },
    { b: 1 },
  );
  await newRecord(tenant, { type: 'other', name: 'x', metadata: { a: 'x' } });
  const { status, body } = await valuesOf(tenant, { field: 'a' });
  expect(status).toBe(200);
  expect(body).toEqual({
    type: 'a',
    field: 'a',
    values: [
      { value: 'y', count: 2 },
      { value: '7', count: 1 },
      { value: 'x', count: 1 },
      { value: 7, count: 1 },
      { value: false, count: 1 },
    ],
    truncated: false,
  });
});

test('blank, null and missing values count as not set; each distinct list element counts once per record', async () => {
  const tenant = await withMetadata(
    { a: ' ' },
    { a: null },
    {},
    { a: ['x', 'y', 'x', ''] },
    { a: 'x' },
    { a: [] },
  );
  const { values } = (await valuesOf(tenant, { field: 'a' })).body;
  expect(values).toEqual([
    { value: 'x', count: 2 },
    { value: 'y', count: 1 },
  ]);
});

test.each<[string, unknown[]]>([
  ['a b$', [1]],
  ['x.y', [2]],
  ['x.z', [4]],
  ['x', [{ y: 3, z: 4 }]],
  ['name', ['record 0']],
  ['metadata.name', ['inner']],
  ['type', ['a']],
  ['__proto__', []],
  ['constructor', []],
  ['constructor.name', []],
  ['x.toString', []],
  ['nothing', []],
])('the field %j has the same meaning as in a filter', async (field, values) => {
  const metadata = { 'a b$': 1, 'x.y': 2, x: { y: 3, z: 4 }, name: 'inner' };
  const { status, body } = await valuesOf(await withMetadata(metadata), { field });
  expect(status).toBe(200);
  expect(body).toMatchObject({ field, values: values.map((value) => ({ value, count: 1 })) });
});

test('returns 50 values by default, and indicates that there are more', async () => {
  const tenant = await newTenant();
  const rows = Array.from({ length: 600 }, (_, n) => ({ name: `row ${n}`, n, same: 's' }));
  await uploadRows(tenant, 'row', rows);
  const shown = async (query: Record<string, string>) => {
    const { body } = await valuesOf(tenant, { type: 'row', field: 'n', ...query });
    return [body.values.length, body.truncated];
  };
  expect(await shown({})).toEqual([50, true]);
  expect(await shown({ limit: '500' })).toEqual([500, true]);
  expect(await shown({ field: 'same', limit: '1' })).toEqual([1, false]);
});

test('reports when not all records were read, because of their number or the time limit', async () => {
  const tenant = await newTenant();
  await uploadRows(
    tenant,
    'row',
    Array.from({ length: 450 }, (_, n) => ({ name: `row ${n}`, same: 's' })),
  );
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const asked = { type: 'row', field: 'same', limit: 50 };
  const plenty = () => 29_000;
  expect(await fieldValues(scope, 450)(asked, plenty)).toEqual({
    values: [{ value: 's', count: 450 }],
    truncated: false,
  });
  expect(await fieldValues(scope, 449)(asked, plenty)).toMatchObject({ truncated: true });
  let looks = 0;
  const short = () => (looks++ === 0 ? 29_000 : 4_000);
  expect(await fieldValues(scope)(asked, short)).toEqual({
    values: [{ value: 's', count: 200 }],
    truncated: true,
  });
});

test('values that do not fit the response are left out, and the response reports it', async () => {
  const tenant = await newTenant();
  for (let n = 0; n < 25; n++) {
    await newRecord(tenant, { name: `${n}`, metadata: { text: `${n}`.padStart(250_000, 'x') } });
  }
  const { status, body } = await valuesOf(tenant, { field: 'text' });
  expect(status).toBe(200);
  expect(body.values).toHaveLength(19);
  expect(body.truncated).toBe(true);
});

test('another tenant’s records do not count', async () => {
  const [tenant, other] = await Promise.all([newTenant(), withMetadata({ a: 'theirs' })]);
  expect((await valuesOf(tenant, { field: 'a' })).body).toMatchObject({ values: [], truncated: false });
  expect((await valuesOf(other, { field: 'a' })).body.values).toHaveLength(1);
});

test.each<[string, Record<string, string>, string]>([
  ['no field', {}, 'field'],
  ['an empty type', { type: '', field: 'a' }, 'type'],
  ['a field with a blank at its end', { field: 'a ' }, 'field'],
  ['a field of 129 characters', { field: 'x'.repeat(129) }, 'field'],
  ['a field with a control character', { field: 'a\u0000b' }, 'field'],
  ['a limit of 0', { field: 'a', limit: '0' }, 'limit'],
  ['a limit of 501', { field: 'a', limit: '501' }, 'limit'],
  ['a limit that is no number', { field: 'a', limit: 'many' }, 'limit'],
])('400 for %s', async (_, query, path) => {
  const { status, body } = await valuesOf(await newTenant(), query);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: 'Validation error', details: [{ path }] });
});

test('403 without RECORDS:READ', async () => {
  const tenant = await newTenant({ permissions: ['RECORDS:WRITE'] });
  expect((await valuesOf(tenant, { field: 'a' })).status).toBe(403);
});
