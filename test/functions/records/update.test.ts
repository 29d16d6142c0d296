import { expect, test } from 'vitest';
import { notFoundBody } from '../../support/stack/errors.ts';
import { newTenant, type Tenant } from '../../support/stack/stack.ts';

const messages = [{ role: 'user', content: 'Hello' }];

async function withRecord() {
  const tenant = await newTenant();
  const sent = { type: 'a', name: 'x', metadata: { one: 1, two: 2 }, messages };
  const { body: record } = await tenant.call('POST', '/v1/records', { body: sent });
  const update = (body: unknown) => tenant.call('PUT', `/v1/records/${record.id}`, { body });
  const read = async () => (await tenant.call('GET', `/v1/records/${record.id}`)).body;
  return { tenant, record, update, read };
}
const create = (tenant: Tenant, type: string, name: string) =>
  tenant.call('POST', '/v1/records', { body: { type, name } });

test('sent metadata replaces the old metadata entirely, and the rest stays', async () => {
  const { record, update, read } = await withRecord();
  const { status, body } = await update({ metadata: { three: 3 } });
  expect(status).toBe(200);
  expect(body).toEqual({ ...record, metadata: { three: 3 }, updatedAt: body.updatedAt });
  expect(body.updatedAt >= record.updatedAt).toBe(true);
  expect(await read()).toEqual(body);
});

test('null removes messages, and an empty body changes nothing', async () => {
  const { record, update, read } = await withRecord();
  expect((await update({})).body).toMatchObject({ metadata: record.metadata, messages });
  expect((await update({ messages: null })).body).toMatchObject({
    metadata: record.metadata,
    messages: null,
  });
  expect((await read()).messages).toBeNull();
});

test('a rename frees the old name and reserves the new one, and lists return the new name', async () => {
  const { tenant, record, update, read } = await withRecord();
  const { status, body } = await update({ name: 'Y', metadata: { moved: true } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: record.id, type: 'a', name: 'Y', metadata: { moved: true }, messages });
  expect(await read()).toEqual(body);
  expect((await create(tenant, 'a', 'x')).status).toBe(201);
  expect((await create(tenant, 'a', 'Y')).status).toBe(409);
  const names = async (query: string) =>
    (await tenant.call('GET', `/v1/records?${query}`)).body.data.map(({ name }: { name: string }) => name);
  expect(await names('type=a')).toEqual(['x', 'Y']);
  expect(await names('search=y')).toEqual(['Y']);
});

test('a new type moves the record to the list of that type', async () => {
  const { tenant, record, update } = await withRecord();
  expect((await update({ type: 'b' })).body).toMatchObject({ id: record.id, type: 'b', name: 'x' });
  expect((await tenant.call('GET', '/v1/records?type=a')).body.data).toEqual([]);
  expect((await tenant.call('GET', '/v1/records?type=b')).body.data).toMatchObject([{ id: record.id }]);
});

test('an update may send the same type and name again', async () => {
  const { record, update } = await withRecord();
  const { status, body } = await update({ type: 'a', name: 'x', metadata: {} });
  expect(status).toBe(200);
  expect(body).toMatchObject({ id: record.id, name: 'x', metadata: {} });
});

test('409 if another record has the type and the name, and nothing changes', async () => {
  const { tenant, record, update, read } = await withRecord();
  await create(tenant, 'a', 'taken');
  const { status, body } = await update({ name: 'taken', metadata: {} });
  expect(status).toBe(409);
  expect(body).toMatchObject({ error: 'Conflict', details: [{ path: 'name', code: 'NAME_TAKEN' }] });
  expect(body.details[0].message).toContain('type "a" with the name "taken"');
  expect(await read()).toEqual(record);
});

test('of many concurrent renames each is atomic: one name is taken and all others are free', async () => {
  const { tenant, record, update, read } = await withRecord();
  const names = Array.from({ length: 8 }, (_, n) => `name ${n}`);
  const answers = await Promise.all(names.map((name) => update({ name, metadata: { name } })));
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  const { name, metadata } = await read();
  expect(metadata).toEqual({ name });
  const again = await Promise.all(['x', ...names].map((each) => create(tenant, record.type, each)));
  const held = ['x', ...names].filter((_, index) => again[index]?.status === 409);
  expect(held).toEqual([name]);
});

test.each([
  ['an empty name', { name: '' }, 'name'],
  ['a type of null', { type: null }, 'type'],
  ['metadata of null', { metadata: null }, 'metadata'],
  ['metadata over the limit', { metadata: { text: 'x'.repeat(256 * 1024) } }, 'metadata'],
  ['an unknown member', { id: 'x' }, 'id'],
])('400 for %s', async (_, sent, path) => {
  const { update } = await withRecord();
  const { status, body } = await update(sent);
  expect(status).toBe(400);
  expect(body).toMatchObject({ error: 'Validation error', details: [{ path }] });
});

test.each([
  ['its values', { metadata: {} }],
  ['its name', { name: 'y' }],
])('404 for %s of another tenant’s record, the same as for one that does not exist', async (_, body) => {
  const { record, read } = await withRecord();
  const other = await newTenant();
  const foreign = await other.call('PUT', `/v1/records/${record.id}`, { body });
  const missing = await other.call('PUT', '/v1/records/record_01k9m4v7d3x8qz5w2r6t0y1hbn', { body });
  expect(missing).toMatchObject({ status: 404, body: notFoundBody('Record') });
  expect(foreign).toMatchObject({ status: 404, body: missing.body });
  expect(await read()).toEqual(record);
});

test('400 for a malformed id', async () => {
  const { call } = await newTenant();
  expect((await call('PUT', '/v1/records/x', { body: {} })).status).toBe(400);
});

test('403 without RECORDS:WRITE', async () => {
  const { call } = await newTenant({ permissions: ['RECORDS:READ'] });
  const { status } = await call('PUT', '/v1/records/record_01k9m4v7d3x8qz5w2r6t0y1hbn', { body: {} });
  expect(status).toBe(403);
});
