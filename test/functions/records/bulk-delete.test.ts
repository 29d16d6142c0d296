import { expect, test } from 'vitest';
import { tombstoneEntity } from '../../../shared/platform/cleanup/tombstone.ts';
import { newRecord, uploadRows } from '../../support/data/records.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknownId = 'record_01k9m4v7d3x8qz5w2r6t0y1hbn';
const remove = ({ call }: Tenant, ids: unknown) => call('POST', '/v1/records/bulk-delete', { body: { ids } });
const names = async ({ call }: Tenant) =>
  (await call('GET', '/v1/records')).body.data.map(({ name }: { name: string }) => name);

test('deletes the records that exist and reports the ids that do not; the names become free again', async () => {
  const tenant = await newTenant();
  const [one, two, kept] = [
    await newRecord(tenant, { name: 'one' }),
    await newRecord(tenant, { name: 'two' }),
    await newRecord(tenant, { name: 'kept' }),
  ];
  const { status, body } = await remove(tenant, [two.id, unknownId, one.id, two.id]);
  expect(status).toBe(200);
  expect(body).toEqual({
    success: true,
    deleted: 2,
    deletedIds: [two.id, one.id],
    notFoundIds: [unknownId],
  });
  expect((await tenant.call('GET', `/v1/records/${one.id}`)).status).toBe(404);
  expect(await names(tenant)).toEqual(['kept']);
  expect((await newRecord(tenant, { name: 'one' })).id).not.toBe(one.id);
  expect((await remove(tenant, [one.id])).body).toEqual({
    success: true,
    deleted: 0,
    deletedIds: [],
    notFoundIds: [one.id],
  });
  expect((await tenant.call('GET', `/v1/records/${kept.id}`)).body).toEqual(kept);
});

test('ids of other tenants are reported as unknown, and their records stay', async () => {
  const [tenant, other] = await Promise.all([newTenant(), newTenant()]);
  const foreign = await newRecord(other, { name: 'theirs' });
  const { status, body } = await remove(tenant, [foreign.id]);
  expect(status).toBe(200);
  expect(body).toMatchObject({ deleted: 0, deletedIds: [], notFoundIds: [foreign.id] });
  expect((await other.call('GET', `/v1/records/${foreign.id}`)).body).toEqual(foreign);
});

test('each deleted record leaves a tombstone, so that its related data is removed', async () => {
  const tenant = await newTenant();
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const record = await newRecord(tenant, { name: 'one' });
  await remove(tenant, [record.id, unknownId]);
  expect(await table.get(tombstoneEntity, { id: record.id })).toMatchObject({ id: record.id });
  expect(await table.get(tombstoneEntity, { id: unknownId })).toBeUndefined();
});

test('one call deletes 1,000 records', async () => {
  const tenant = await newTenant();
  const rows = Array.from({ length: 1_000 }, (_, n) => ({ name: `row ${n}` }));
  const ids = [...(await uploadRows(tenant, 'row', rows)).values()];
  const { status, body } = await remove(tenant, ids);
  expect(status).toBe(200);
  expect(body).toEqual({ success: true, deleted: 1_000, deletedIds: ids, notFoundIds: [] });
  expect(await names(tenant)).toEqual([]);
});

test('of several concurrent calls, exactly one deletes each record', async () => {
  const tenant = await newTenant();
  const rows = Array.from({ length: 40 }, (_, n) => ({ name: `row ${n}` }));
  const ids = [...(await uploadRows(tenant, 'row', rows)).values()];
  const answers = await Promise.all(Array.from({ length: 3 }, () => remove(tenant, ids)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(answers.flatMap(({ body }) => body.deletedIds).toSorted()).toEqual(ids.toSorted());
  for (const { body } of answers) expect(body.deletedIds.length + body.notFoundIds.length).toBe(40);
});

test('a record renamed during the call is deleted, and both of its names become free', async () => {
  const tenant = await newTenant();
  const rows = Array.from({ length: 40 }, (_, n) => ({ name: `row ${n}` }));
  const ids = [...(await uploadRows(tenant, 'row', rows)).values()];
  const [{ status, body }, ...renames] = await Promise.all([
    remove(tenant, ids),
    ...ids.map((id, n) => tenant.call('PUT', `/v1/records/${id}`, { body: { name: `other ${n}` } })),
  ]);
  expect(status).toBe(200);
  expect(body.deletedIds.toSorted()).toEqual(ids.toSorted());
  for (const rename of renames) expect([200, 404, 409]).toContain(rename.status);
  await eventually(async () => expect(await names(tenant)).toEqual([]));
  await uploadRows(tenant, 'row', rows);
  await uploadRows(
    tenant,
    'row',
    rows.map((_, n) => ({ name: `other ${n}` })),
  );
});

test.each([
  ['no ids', [], 'ids'],
  ['a garbled id', [unknownId, 'flow_01k9m4v7d3x8qz5w2r6t0y1hbn'], 'ids.1'],
  ['more than 1,000 ids', Array(1_001).fill(unknownId), 'ids'],
  ['a text', unknownId, 'ids'],
])('400 for %s', async (_, ids, path) => {
  const { status, body } = await remove(await newTenant(), ids);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: 'Validation error', details: [{ path }] });
});

test('403 without RECORDS:WRITE', async () => {
  const tenant = await newTenant({ permissions: ['RECORDS:READ'] });
  expect((await remove(tenant, [unknownId])).status).toBe(403);
});
