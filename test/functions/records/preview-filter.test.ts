import { expect, test } from 'vitest';
import { filterPreviewer } from '../../../shared/domain/records/preview-filter.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack.ts';

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

test('without a condition all records of the type match, and of an unknown type none', async () => {
  const tenant = await withShops(7);
  expect((await preview(tenant, { type: 'shop' })).body).toMatchObject({ matchedCount: 7 });
  expect((await preview(tenant, { type: 'none' })).body).toEqual({
    type: 'none',
    matchedCount: 0,
    samples: [],
    truncated: false,
  });
});

test('what lies beyond the bound is told as truncated, and a type that fills it exactly is not', async () => {
  const tenant = await withShops(250);
  const scope = countingRuntime().scopeOf(tenant.tenant);
  const bounded = (units: number) => filterPreviewer(scope, units)({ type: 'shop' });
  expect(await bounded(200)).toMatchObject({ matchedCount: 200, truncated: true });
  expect(await bounded(250)).toMatchObject({ matchedCount: 250, truncated: false });
});

test('another tenant’s records do not match', async () => {
  const [, stranger] = await Promise.all([withShops(3), newTenant()]);
  expect((await preview(stranger, { type: 'shop' })).body.matchedCount).toBe(0);
});

const leaf = { field: 'a', op: 'isSet' };
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
  [
    { type: 'a', where: { op: 'or', conditions: [leaf, { field: 'b', op: 'in', value: 1 }] } },
    'where.conditions.1',
  ],
])('400 for %j at %s', async (body, path) => {
  const answer = await preview(await newTenant(), body);
  expect(answer).toMatchObject({ status: 400, body: { details: [{ path }] } });
});
