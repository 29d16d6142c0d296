import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { previewFilter } from '../../../functions/records/preview-filter.ts';
import { filterPreviewer } from '../../../shared/domain/records/preview-filter.ts';
import { hashKey } from '../../../shared/platform/auth/key-format.ts';
import { toLambda } from '../../../shared/platform/http/lambda/lambda.ts';
import { toContext } from '../../../shared/platform/identity/principal.ts';
import { invokeWith } from '../../support/stack/invoke.ts';
import { newKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const preview = ({ call }: Tenant, body: object) => call('POST', '/v1/records/preview-filter', { body });

async function withShops(count: number): Promise<Tenant> {
  const tenant = await newTenant();
  const rows = Array.from({ length: count }, (_, n) => `shop ${n},${n}`);
  const body = new FormData();
  body.append('file', new File([`name,size\n${rows.join('\n')}`], 'shops.csv'));
  body.append('typeValue', 'shop');
  expect((await tenant.call('POST', '/v1/records/upload-csv', { body })).body.errors).toBe(0);
  await tenant.call('POST', '/v1/records', { body: { type: 'depot', name: 'x', metadata: { size: '1' } } });
  return tenant;
}

test('200 with the count and the newest five', async () => {
  const tenant = await withShops(20);
  const { status, body } = await preview(tenant, {
    type: 'shop',
    where: { field: 'size', op: 'lt', value: 9 },
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    type: 'shop',
    matchedCount: 9,
    samples: [8, 7, 6, 5, 4].map((n) => ({
      id: expect.stringMatching(/^record_/),
      name: `shop ${n}`,
      metadata: { size: String(n) },
    })),
    truncated: false,
  });
});

test('without a condition all records of the type match; an unknown type matches none', async () => {
  const tenant = await withShops(7);
  expect((await preview(tenant, { type: 'shop' })).body).toMatchObject({ matchedCount: 7 });
  expect((await preview(tenant, { type: 'none' })).body).toEqual({
    type: 'none',
    matchedCount: 0,
    samples: [],
    truncated: false,
  });
});

test('a result beyond the limit is marked as truncated; a type that exactly fills the limit is not', async () => {
  const tenant = await withShops(250);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const bounded = (units: number) => filterPreviewer(scope, units)({ type: 'shop' });
  expect(await bounded(200)).toMatchObject({ matchedCount: 200, truncated: true });
  expect(await bounded(250)).toMatchObject({ matchedCount: 250, truncated: false });
});

test('reading stops when the time of the request runs out', async () => {
  const tenant = await withShops(600);
  const { id: keyId, key } = await newKey(tenant);
  const runtime = countingRuntime();
  const principal = { ...tenant, kind: 'key', environment: 'production' } as const;
  const context = toContext({ ...principal, permissions: [], keyId, hash: hashKey(key) });
  const lambda = toLambda(previewFilter, () => runtime);
  const body = JSON.stringify({ type: 'shop', where: { field: 'size', op: 'isSet' } });
  const headers = { 'content-type': 'application/json' };
  const asked = { httpMethod: 'POST', headers, body };
  const reads = () => runtime.consumed.commands.filter((command) => command === 'BatchGetItem').length;
  expect((await invokeWith(lambda, context)(asked)).statusCode).toBe(200);
  expect(reads()).toBeGreaterThan(5);
  runtime.reset();
  expect((await invokeWith(lambda, context, 501)(asked)).statusCode).toBeGreaterThanOrEqual(500);
  await setTimeout(1_000);
  expect(reads()).toBeLessThan(2);
});

test('another tenant’s records do not match', async () => {
  const [, stranger] = await Promise.all([withShops(3), newTenant()]);
  expect((await preview(stranger, { type: 'shop' })).body.matchedCount).toBe(0);
});

test('a filter with 500 conditions, with 10,000 values or with texts of 10,000 characters is accepted', async () => {
  const tenant = await withShops(20);
  const long = 'x'.repeat(9_990);
  const group = { op: 'and', conditions: Array(49).fill({ field: 'size', op: 'lt', value: 9 }) };
  const list = Array.from({ length: 1_000 }, (_, n) => (n === 999 ? long : n % 10));
  const { call } = tenant;
  await call('POST', '/v1/records', { body: { type: 'shop', name: 'long', metadata: { size: long } } });
  const wheres = [
    { op: 'and', conditions: Array(10).fill(group) },
    { op: 'or', conditions: Array(10).fill({ field: 'size', op: 'in', value: list }) },
    { field: 'size', op: 'endsWith', value: long },
  ];
  const counts = [];
  for (const where of wheres) counts.push((await preview(tenant, { type: 'shop', where })).body.matchedCount);
  expect(counts).toEqual([9, 11, 1]);
});

const leaf = { field: 'a', op: 'isSet' };
const manyConditions = {
  op: 'or',
  conditions: Array(50).fill({ op: 'or', conditions: Array(10).fill(leaf) }),
};
const thousandValues = { field: 'a', op: 'in', value: Array(1_000).fill(1) };
const tooLong = 'x'.repeat(10_001);
test.each<[object, string]>([
  [{}, 'type'],
  [{ type: '' }, 'type'],
  [{ type: 'x'.repeat(256) }, 'type'],
  [{ type: 'a', more: 1 }, 'more'],
  [{ type: 'a', where: { field: 'a', op: 'eq' } }, 'where'],
  [{ type: 'a', where: { field: 'a', op: 'unknown', value: 1 } }, 'where.op'],
  [{ type: 'a', where: { field: '', op: 'isSet' } }, 'where.field'],
  [{ type: 'a', where: { op: 'and', conditions: [] } }, 'where.conditions'],
  [{ type: 'a', where: { op: 'and', conditions: Array(51).fill(leaf) } }, 'where.conditions'],
  [{ type: 'a', where: manyConditions }, 'where'],
  [{ type: 'a', where: { op: 'and', conditions: Array(11).fill(thousandValues) } }, 'where'],
  [{ type: 'a', where: { field: 'a', op: 'contains', value: tooLong } }, 'where'],
  [
    { type: 'a', where: { op: 'or', conditions: [leaf, { field: 'b', op: 'in', value: ['a', tooLong] }] } },
    'where.conditions.1',
  ],
  [
    { type: 'a', where: { op: 'or', conditions: [leaf, { field: 'b', op: 'in', value: 1 }] } },
    'where.conditions.1',
  ],
])('400 for %j at %s', async (body, path) => {
  const answer = await preview(await newTenant(), body);
  expect(answer).toMatchObject({ status: 400, body: { details: [{ path }] } });
});
