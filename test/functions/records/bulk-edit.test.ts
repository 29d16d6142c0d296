import { expect, test } from 'vitest';
import { newRecord, uploadRows } from '../../support/data/records.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const unknownId = 'record_01k9m4v7d3x8qz5w2r6t0y1hbn';

const edit = ({ call }: Tenant, body: unknown) => call('POST', '/v1/records/bulk-edit', { body });
const read = async ({ call }: Tenant, id: string) => (await call('GET', `/v1/records/${id}`)).body;

async function withThree() {
  const tenant = await newTenant();
  const metadata = { city: 'Oslo', tier: { level: 1 }, old: true };
  const one = await newRecord(tenant, { name: 'one', metadata });
  const two = await newRecord(tenant, { name: 'two', metadata: { city: 'oslo', note: 'kept' } });
  const three = await newRecord(tenant, { name: 'three', type: 'b', metadata: { city: 'Bergen' } });
  return { tenant, one, two, three };
}

test('updates replace whole metadata keys, deleteFields removes keys, and the rest stays', async () => {
  const { tenant, one, two } = await withThree();
  const updates = { tier: { name: 'gold' }, added: null };
  const { status, body } = await edit(tenant, { recordIds: [one.id], updates, deleteFields: ['old', 'x'] });
  expect(status).toBe(200);
  const after = { city: 'Oslo', tier: { name: 'gold' }, added: null };
  expect(body).toEqual({
    recordIds: [one.id],
    data: [{ id: one.id, before: { city: 'Oslo', tier: { level: 1 }, old: true }, after }],
  });
  const changed = await read(tenant, one.id);
  expect(changed).toEqual({ ...one, metadata: after, updatedAt: changed.updatedAt });
  expect(changed.updatedAt > one.updatedAt).toBe(true);
  expect(await read(tenant, two.id)).toEqual(two);
});

test('a filter matches only records of its type', async () => {
  const { tenant, one, two, three } = await withThree();
  const where = { field: 'city', op: 'startsWith', value: 'o' };
  const { body } = await edit(tenant, { recordFilter: { type: 'a', where }, updates: { seen: 1 } });
  expect(body.recordIds).toEqual([two.id, one.id]);
  const all = await edit(tenant, { recordFilter: { type: 'b' }, updates: { seen: 2 } });
  expect(all.body.recordIds).toEqual([three.id]);
  const seen = await Promise.all([one, two, three].map(({ id }) => read(tenant, id)));
  expect(seen.map(({ metadata }) => metadata.seen)).toEqual([1, 1, 2]);
});

test.each([
  ['equals', 'city', 'Oslo', ['one']],
  ['equals_ci', 'city', 'OSLO', ['one', 'two']],
  ['not_equals', 'city', 'Oslo', ['three', 'two']],
  ['contains', 'city', 'SL', ['one', 'two']],
  ['not_contains', 'city', 'sl', ['three']],
  ['contains', 'tier.level', 1, ['one']],
  ['equals', 'old', true, ['one']],
  ['equals_ci', 'old', 'TRUE', ['one']],
  ['not_equals', 'note', 'x', ['one', 'three', 'two']],
  ['not_contains', 'note', 'kept', ['one', 'three']],
  ['equals_ci', 'name', 'THREE', ['three']],
  ['equals', 'nothing', '', []],
])('applyToAll: the condition %s on %s with %j', async (operator, field, value, names) => {
  const { tenant, ...records } = await withThree();
  const conditions = [{ field, operator, value }];
  const { status, body } = await edit(tenant, { applyToAll: true, conditions, updates: { x: 1 } });
  expect(status).toBe(200);
  const touched = Object.values(records).filter(({ id }) => body.recordIds.includes(id));
  expect(touched.map(({ name }) => name).toSorted()).toEqual(names);
});

test('a record must match all conditions', async () => {
  const { tenant, two } = await withThree();
  const conditions = [
    { field: 'city', operator: 'equals_ci', value: 'Oslo' },
    { field: 'old', operator: 'not_equals', value: true },
  ];
  const { body } = await edit(tenant, { applyToAll: true, conditions, updates: { x: 1 } });
  expect(body.recordIds).toEqual([two.id]);
});

test('a dry run returns the same response and writes nothing', async () => {
  const { tenant, one, two, three } = await withThree();
  const body = { recordFilter: { type: 'a' }, updates: { city: 'Rome' }, deleteFields: ['note'] };
  const dry = await edit(tenant, { ...body, dryRun: true });
  expect(dry.status).toBe(200);
  expect(dry.body.data).toEqual([
    { id: two.id, before: two.metadata, after: { city: 'Rome' } },
    { id: one.id, before: one.metadata, after: { ...one.metadata, city: 'Rome' } },
  ]);
  for (const record of [one, two, three]) expect(await read(tenant, record.id)).toEqual(record);
  expect((await edit(tenant, body)).body).toEqual(dry.body);
  expect((await read(tenant, two.id)).metadata).toEqual({ city: 'Rome' });
});

test('unknown ids and those of other tenants are omitted, and other tenants’ records do not change', async () => {
  const { tenant, one } = await withThree();
  const other = await newTenant();
  const foreign = await newRecord(other, { name: 'theirs', metadata: { a: 1 } });
  const recordIds = [unknownId, foreign.id, one.id, one.id];
  const { status, body } = await edit(tenant, { recordIds, updates: { seen: 1 } });
  expect(status).toBe(200);
  expect(body.recordIds).toEqual([one.id]);
  expect(body.data).toHaveLength(1);
  expect(await read(other, foreign.id)).toEqual(foreign);
  const conditions = [{ field: 'a', operator: 'equals', value: 1 }];
  const none = await edit(tenant, { applyToAll: true, conditions, updates: { b: 1 } });
  expect(none.body).toEqual({ recordIds: [], data: [] });
});

test('a record that already has the values is listed, and not written again', async () => {
  const { tenant, one } = await withThree();
  const body = { recordIds: [one.id], updates: { city: 'Oslo' }, deleteFields: ['never'] };
  expect((await edit(tenant, body)).body.recordIds).toEqual([one.id]);
  expect(await read(tenant, one.id)).toEqual(one);
});

const target = { recordIds: [unknownId] };
const updates = { a: 1 };
const isSet = { field: 'a', op: 'isSet' };
const group = (...conditions: unknown[]) => ({ op: 'and', conditions });
const where = (filter: unknown) => ({ recordFilter: { type: 'a', where: filter }, updates });
const condition = { field: 'a', operator: 'equals', value: 1 };
const all = (...conditions: unknown[]) => ({ applyToAll: true, conditions, updates });
const leaf = 'recordFilter.where';

const tooLong = 'x'.repeat(10_001);
const keys = (count: number) => Array.from({ length: count }, (_, n) => `key ${n}`);
const valued = (count: number) => Object.fromEntries(keys(count).map((key) => [key, 1]));

test('accepts 1,000 keys to change and 1,000 to remove', async () => {
  const { tenant, one } = await withThree();
  const change = (body: object) => edit(tenant, { recordIds: [one.id], ...body });
  expect((await change({ updates: valued(1_000), deleteFields: ['old', 'tier'] })).status).toBe(200);
  expect((await read(tenant, one.id)).metadata).toEqual({ city: 'Oslo', ...valued(1_000) });
  expect((await change({ deleteFields: keys(1_000) })).status).toBe(200);
  expect((await read(tenant, one.id)).metadata).toEqual({ city: 'Oslo' });
});

test.each<[string, unknown, string]>([
  ['no target', { updates }, 'recordIds'],
  ['two targets', { ...target, ...where(isSet) }, 'recordFilter'],
  ['ids beside applyToAll', { ...target, ...all(condition) }, 'applyToAll'],
  ['applyToAll without conditions', { applyToAll: true, updates }, 'conditions'],
  ['conditions without applyToAll', { conditions: [condition], updates }, 'conditions'],
  ['conditions beside ids', { ...target, conditions: [condition], updates }, 'conditions'],
  ['no ids', { recordIds: [], updates }, 'recordIds'],
  ['a garbled id', { recordIds: [unknownId, 'record_x'], updates }, 'recordIds.1'],
  ['more than 10,000 ids', { recordIds: Array(10_001).fill(unknownId), updates }, 'recordIds'],
  ['nothing to change', target, 'updates'],
  ['a key to change and to remove', { ...target, updates, deleteFields: ['b', 'a'] }, 'deleteFields.1'],
  ['updates that are a list', { ...target, updates: [1] }, 'updates'],
  ['updates over 256 KB', { ...target, updates: { a: 'x'.repeat(256 * 1024) } }, 'updates'],
  ['a key that is no text', { ...target, deleteFields: [1] }, 'deleteFields.0'],
  ['more than 1,000 keys to remove', { ...target, deleteFields: keys(1_001) }, 'deleteFields'],
  ['more than 1,000 keys to change', { ...target, updates: valued(1_001) }, 'updates'],
  [
    'a filter of more than 500 conditions',
    where(group(...Array(50).fill(group(...Array(10).fill(isSet))))),
    leaf,
  ],
  ['a filter with a text over 10,000 characters', where({ field: 'a', op: 'eq', value: tooLong }), leaf],
  [
    'a condition with a text over 10,000 characters',
    all({ ...condition, value: tooLong }),
    'conditions.0.value',
  ],
  ['a filter without a type', { recordFilter: { where: isSet }, updates }, 'recordFilter.type'],
  ['an unknown operator', where({ field: 'a', op: 'like', value: 1 }), `${leaf}.op`],
  ['a wrong operand', where({ field: 'a', op: 'in', value: 1 }), leaf],
  ['between the wrong way round', where({ field: 'a', op: 'between', value: [2, 1] }), leaf],
  ['a field with a blank at its end', where({ field: 'a ', op: 'isSet' }), `${leaf}.field`],
  ['a field of 129 characters', where({ field: 'x'.repeat(129), op: 'isSet' }), `${leaf}.field`],
  ['a field with a control character', where({ field: 'a\u0007', op: 'isSet' }), `${leaf}.field`],
  [
    'groups nested four deep',
    where(group(group(group(group(isSet))))),
    `${leaf}.conditions.0.conditions.0.conditions.0.op`,
  ],
  ['51 conditions in a group', where(group(...Array(51).fill(isSet))), `${leaf}.conditions`],
  ['51 conditions', all(...Array(51).fill(condition)), 'conditions'],
  ['an unknown operator of a condition', all({ ...condition, operator: 'gt' }), 'conditions.0.operator'],
  ['a condition without a field', all(condition, { ...condition, field: '' }), 'conditions.1.field'],
  ['a condition with a list', all({ ...condition, value: [1] }), 'conditions.0.value'],
  ['an empty text to contain', all({ ...condition, operator: 'contains', value: '' }), 'conditions.0.value'],
  ['an unknown member', { ...target, updates, force: true }, 'force'],
])('400 with the path of the invalid value for %s', async (_, body, path) => {
  const answer = await edit(await newTenant(), body);
  expect(answer.status).toBe(400);
  expect(answer.body.error).toBe('Validation error');
  expect(answer.body.details.map((detail: { path: string }) => detail.path)).toContain(path);
});

test('400 states the maximum number of records per call', async () => {
  const { body } = await edit(await newTenant(), { recordIds: Array(10_001).fill(unknownId), updates });
  expect(body.details[0].message).toContain('10000');
  expect(body.details[0].message).toContain('/v1/imports');
});

test('400 if one record would exceed 256 KB, and no record changes', async () => {
  const tenant = await newTenant();
  const small = await newRecord(tenant, { name: 'small' });
  const large = await newRecord(tenant, { name: 'large', metadata: { text: 'x'.repeat(200 * 1024) } });
  const more = { more: 'x'.repeat(100 * 1024) };
  for (const dryRun of [false, true]) {
    const { status, body } = await edit(tenant, { recordFilter: { type: 'a' }, updates: more, dryRun });
    expect(status).toBe(400);
    expect(body.details).toMatchObject([{ path: 'updates', code: 'TOO_LARGE' }]);
    expect(body.details[0].message).toContain(large.id);
  }
  expect(await read(tenant, small.id)).toEqual(small);
  expect(await read(tenant, large.id)).toEqual(large);
});

test('__proto__ as a key to change is rejected; removing it, or any key named like an object member, is harmless', async () => {
  const { tenant, one } = await withThree();
  const polluting = `{"recordIds":["${one.id}"],"updates":{"__proto__":{"polluted":true}}}`;
  const refused = await tenant.call('POST', '/v1/records/bulk-edit', { body: polluting });
  expect(refused).toMatchObject({ status: 400, body: { details: [{ code: 'FORBIDDEN_MEMBER' }] } });

  const keys = { constructor: { name: 'x' }, toString: 'text', hasOwnProperty: 1 };
  const { status } = await edit(tenant, { recordIds: [one.id], updates: keys, deleteFields: ['__proto__'] });
  expect(status).toBe(200);
  expect((await read(tenant, one.id)).metadata).toEqual({ ...one.metadata, ...keys });
  const removed = { recordIds: [one.id], deleteFields: ['constructor', 'toString', 'valueOf', '__proto__'] };
  expect((await edit(tenant, removed)).status).toBe(200);
  expect((await read(tenant, one.id)).metadata).toEqual({ ...one.metadata, hasOwnProperty: 1 });
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  const field = '__proto__.polluted';
  const conditions = [{ field, operator: 'equals', value: true }];
  expect((await edit(tenant, { applyToAll: true, conditions, updates })).body.recordIds).toEqual([]);
});

test('for 1,200 records the response lists all ids and returns the first 1,000 records', async () => {
  const tenant = await newTenant();
  await uploadRows(
    tenant,
    'row',
    Array.from({ length: 1_200 }, (_, n) => ({ name: `row ${n}`, n })),
  );
  const { status, body } = await edit(tenant, { recordFilter: { type: 'row' }, updates: { done: true } });
  expect(status).toBe(200);
  expect(new Set(body.recordIds).size).toBe(1_200);
  expect(body.data.map(({ id }: { id: string }) => id)).toEqual(body.recordIds.slice(0, 1_000));
  expect(body.data[0]).toEqual({
    id: body.recordIds[0],
    before: { n: '1199' },
    after: { n: '1199', done: true },
  });
  const left = [{ field: 'done', operator: 'not_equals', value: true }];
  const dry = { applyToAll: true, conditions: left, updates, dryRun: true };
  expect((await edit(tenant, dry)).body.recordIds).toEqual([]);
});

test('a response that would be too large returns fewer records and lists all ids', async () => {
  const tenant = await newTenant();
  const large = { text: 'x'.repeat(250_000) };
  for (let n = 0; n < 15; n++) await newRecord(tenant, { name: `${n}`, metadata: large });
  const { status, body } = await edit(tenant, { recordFilter: { type: 'a' }, updates: { done: true } });
  expect(status).toBe(200);
  expect(body.recordIds).toHaveLength(15);
  expect(body.data).toHaveLength(9);
});

test('single edits and renames during a bulk edit of 300 records: all changes persist', async () => {
  const tenant = await newTenant();
  const rows = Array.from({ length: 300 }, (_, n) => ({ name: `row ${n}`, n }));
  const ids = [...(await uploadRows(tenant, 'row', rows)).values()];
  const messages = [{ role: 'user', content: 'Hello' }];
  const changes = ids.map((id, n) => ({ id, body: n % 10 ? { messages } : { name: `renamed ${n}` } }));
  const putAll = async () => {
    for (const { id, body } of changes.toReversed().filter((_, n) => n % 2)) {
      expect((await tenant.call('PUT', `/v1/records/${id}`, { body })).status).toBe(200);
    }
  };
  const [edited] = await Promise.all([
    edit(tenant, { recordFilter: { type: 'row' }, updates: { done: true } }),
    putAll(),
    putAll(),
  ]);
  expect(edited.status).toBe(200);
  expect(edited.body.recordIds.toSorted()).toEqual(ids.toSorted());
  const after = await Promise.all(ids.map((id) => read(tenant, id)));
  for (const [n, { metadata, ...record }] of after.entries()) {
    expect(metadata).toEqual({ n: String(n), done: true });
    if (n % 2 === 0) expect(record).toMatchObject(changes[n]?.body ?? {});
  }
});

test('403 without RECORDS:WRITE', async () => {
  const tenant = await newTenant({ permissions: ['RECORDS:READ'] });
  expect((await edit(tenant, { ...target, updates })).status).toBe(403);
});
