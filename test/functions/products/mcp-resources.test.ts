import type { Client } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { recordStore } from '../../../shared/domain/records/record-store.ts';
import { newRecord } from '../../support/data/records.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { countingRuntime } from '../../support/stack/stack.ts';
import {
  addSurfaceKey,
  connectMcp,
  mcpProtocols,
  mcpSurface,
  postMcp,
} from '../../support/surfaces/mcp-surface.ts';
import { createSurface } from '../../support/surfaces/products.ts';

const opening = (...recordTypes: string[]) => ({ behavior: { resources: { recordTypes } } });

/** Messages of the errors of reads, without the URI that was asked for. */
const refusalOf = async (client: Client, uri: string) => {
  const refused = await client.readResource({ uri }).catch((error) => error);
  return { code: refused.code, message: String(refused.message).replace(uri, '<uri>') };
};

test.each(mcpProtocols)('%s: the records of an opened type are resources', async (_, mode) => {
  const { tenant, path, key } = await mcpSurface(undefined, opening('city'));
  const made = await newRecord(tenant, { type: 'city', name: 'Zürich / Nord', metadata: { people: 400 } });
  await newRecord(tenant, { type: 'secret', name: 'hidden' });
  const client = await connectMcp(path, key, mode);
  expect(client.getServerCapabilities()).toEqual({ tools: {}, resources: {}, completions: {} });
  const { resources, nextCursor } = await client.listResources();
  const uri = 'record:city/Z%C3%BCrich%20%2F%20Nord';
  const mimeType = 'application/json';
  expect(resources).toEqual([
    { uri, name: 'Zürich / Nord', description: 'A record of the type city', mimeType },
  ]);
  expect(nextCursor).toBeUndefined();
  const { contents } = await client.readResource({ uri });
  expect(contents).toEqual([{ uri, mimeType, text: expect.any(String) }]);
  const [content] = contents as { text: string }[];
  expect(JSON.parse(content?.text ?? '')).toEqual({
    type: 'city',
    name: 'Zürich / Nord',
    metadata: { people: 400 },
    messages: null,
    createdAt: made.createdAt,
    updatedAt: made.updatedAt,
  });
  const { resourceTemplates } = await client.listResourceTemplates();
  expect(resourceTemplates).toMatchObject([{ uriTemplate: 'record:{type}/{name}', mimeType }]);
});

test('without an opened type there are no resources', async () => {
  const { tenant, path, key } = await mcpSurface();
  await newRecord(tenant, { type: 'city', name: 'Bern' });
  const codeFor = async (method: string, params: object) => {
    const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method, params });
    return JSON.parse(text).error.code;
  };
  expect(await codeFor('resources/list', {})).toBe(-32_601);
  expect(await codeFor('resources/read', { uri: 'record:city/Bern' })).toBe(-32_601);
  const client = await connectMcp(path, key);
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
});

test('a record of another type, of another tenant, without a name, and a deleted one are not found alike', async () => {
  const { tenant, path, key } = await mcpSurface(undefined, opening('city'));
  const other = await mcpSurface(undefined, opening('city'));
  await newRecord(tenant, { type: 'secret', name: 'hidden' });
  await newRecord(other.tenant, { type: 'city', name: 'Elsewhere' });
  const { id } = await newRecord(tenant, { type: 'city', name: 'Gone' });
  await expectStatus(204, tenant.call('DELETE', `/v1/records/${id}`));
  const client = await connectMcp(path, key);
  const uris = ['city/Nowhere', 'secret/hidden', 'city/Elsewhere', 'city/Gone', 'city', 'city/', 'city/%FF'];
  const refusals = await Promise.all(
    [...uris.map((rest) => `record:${rest}`), 'record://city/Gone', 'file:///etc/passwd', ''].map((uri) =>
      refusalOf(client, uri),
    ),
  );
  const [first] = refusals;
  expect(first).toEqual({ code: -32_602, message: expect.stringContaining('<uri>') });
  for (const refusal of refusals.slice(0, -1)) expect(refusal).toEqual(first);
  expect(refusals.at(-1)).toMatchObject({ code: -32_602 });
});

test('a renamed record has another URI', async () => {
  const { tenant, path, key } = await mcpSurface(undefined, opening('city'));
  const { id } = await newRecord(tenant, { type: 'city', name: 'Old' });
  await expectStatus(200, tenant.call('PUT', `/v1/records/${id}`, { body: { name: '..' } }));
  const client = await connectMcp(path, key);
  expect(await refusalOf(client, 'record:city/Old')).toMatchObject({ code: -32_602 });
  const { contents } = await client.readResource({ uri: new URL('record:city/..').href });
  expect(contents).toMatchObject([{ text: expect.stringContaining('".."') }]);
});

test('resources are listed in pages of 50, through all types', async () => {
  const { tenant, path, key, surface } = await mcpSurface(undefined, opening('a', 'none', 'b'));
  const { createMany } = recordStore(countingRuntime().scopeOf(tenant.tenant));
  const drafts = (type: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ type, name: `${type}${n}`, metadata: {}, messages: null }));
  const { userId, organizationId } = tenant;
  await createMany({ userId, organizationId }, [...drafts('a', 60), ...drafts('b', 50), ...drafts('c', 1)]);
  const client = await connectMcp(path, key);
  const pages: string[][] = [];
  const cursors: string[] = [];
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    // Without a cursor, the client reads all pages.
    const message = { jsonrpc: '2.0', id: 1, method: 'resources/list', params: cursor ? { cursor } : {} };
    const { result } = JSON.parse((await postMcp(key, path, message)).text);
    pages.push(result.resources.map(({ name }: { name: string }) => name));
    cursor = result.nextCursor;
    if (cursor) cursors.push(cursor);
  }
  expect(pages.map(({ length }) => length)).toEqual([50, 50, 10]);
  expect(pages.flat()).toEqual([...drafts('a', 60), ...drafts('b', 50)].map(({ name }) => name).sort(newest));
  const listWith = (cursor: string) => client.listResources({ cursor });
  for (const cursor of ['x', Buffer.from('{"type":"c"}').toString('base64url'), `${cursors[0]}x`]) {
    await expect(listWith(cursor)).rejects.toMatchObject({ code: -32_602 });
  }
  await expectStatus(200, tenant.call('PUT', path, { body: opening('b') }));
  await expect(listWith(cursors[0] as string)).rejects.toThrow('Not a cursor of this list');
  expect(surface.behavior).toEqual(opening('a', 'none', 'b').behavior);
});

/** By type, then the last one first. */
const newest = (one: string, other: string) =>
  one.charCodeAt(0) - other.charCodeAt(0) || Number(other.slice(1)) - Number(one.slice(1));

test('types and names are completed', async () => {
  const { tenant, path, key } = await mcpSurface(undefined, opening('city', 'country', 'river'));
  for (const name of ['Bern', 'Basel', 'Zürich']) await newRecord(tenant, { type: 'city', name });
  await newRecord(tenant, { type: 'secret', name: 'Bern' });
  const client = await connectMcp(path, key);
  const ref = { type: 'ref/resource' as const, uri: 'record:{type}/{name}' };
  const complete = async (name: string, value: string, type?: string) => {
    const context = type === undefined ? {} : { context: { arguments: { type } } };
    return (await client.complete({ ref, argument: { name, value }, ...context })).completion;
  };
  expect(await complete('type', 'C')).toEqual({ values: ['city', 'country'], total: 2, hasMore: false });
  expect((await complete('name', 'B', 'city')).values).toEqual(['Basel', 'Bern']);
  expect((await complete('name', '', 'city')).values).toHaveLength(3);
  expect((await complete('name', 'B', 'secret')).values).toEqual([]);
  expect((await complete('name', 'B')).values).toEqual([]);
  await expect(complete('id', '')).rejects.toMatchObject({ code: -32_602 });
});

test('records take RECORDS:READ, or a key of the surface without scopes', async () => {
  const { tenant, path, surface, productId } = await mcpSurface(undefined, opening('city'));
  await newRecord(tenant, { type: 'city', name: 'Bern' });
  const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'record:city/Bern' } };
  const answerFor = async (key: string) => {
    const { status, text } = await postMcp(key, path, read);
    return status === 200 ? (JSON.parse(text).error?.code ?? 'read') : status;
  };
  const withPermissions = async (...permissions: string[]) =>
    answerFor((await newKey(tenant, { permissions })).key);
  expect(await withPermissions('RECORDS:READ')).toBe('read');
  expect(await withPermissions('PRODUCTS:EXECUTE')).toBe(-32_601);
  expect(await withPermissions('RECORDS:READ', 'PRODUCTS:EXECUTE')).toBe('read');
  expect(await withPermissions('AGENTS:EXECUTE')).toBe(403);
  expect(await answerFor(tenant.token)).toBe('read');
  const keyWith = (scopes: string[]) => addSurfaceKey(tenant, path, { environment: 'production', scopes });
  expect(await answerFor(await keyWith([]))).toBe('read');
  expect(await answerFor(await keyWith(['greet']))).toBe(-32_601);
  const closed = await createSurface(tenant, productId, { type: 'mcp', status: 'active' });
  const elsewhere = await addSurfaceKey(tenant, `/v1/products/${productId}/surfaces/${closed.id}`);
  expect(await answerFor(elsewhere)).toBe(403);
  expect(surface.type).toBe('mcp');
});

test.each<[unknown, string, string]>([
  ['city', 'behavior.resources', 'INVALID_TYPE'],
  [{}, 'behavior.resources.recordTypes', 'MISSING_REQUIRED_FIELD'],
  [{ recordTypes: 'city' }, 'behavior.resources.recordTypes', 'INVALID_TYPE'],
  [{ recordTypes: [''] }, 'behavior.resources.recordTypes.0', 'TOO_SMALL'],
  [{ recordTypes: [1] }, 'behavior.resources.recordTypes.0', 'INVALID_TYPE'],
  [{ recordTypes: ['a'], all: true }, 'behavior.resources.all', 'UNKNOWN_MEMBER'],
  [
    { recordTypes: Array.from({ length: 21 }, (_, n) => `${n}`) },
    'behavior.resources.recordTypes',
    'TOO_BIG',
  ],
])('400 for resources %j of an mcp surface, and no change', async (resources, path, code) => {
  const { tenant, productId, path: surface } = await mcpSurface(undefined, opening('city'));
  const body = { name: 'x', type: 'mcp', behavior: { resources } };
  const made = await expectStatus(400, tenant.call('POST', `/v1/products/${productId}/surfaces`, { body }));
  const changed = await expectStatus(400, tenant.call('PUT', surface, { body: { behavior: { resources } } }));
  for (const { details } of [made, changed])
    expect(details).toContainEqual(expect.objectContaining({ path, code }));
  const { behavior } = await expectStatus(200, tenant.call('GET', surface));
  expect(behavior).toEqual(opening('city').behavior);
});

test('null closes the resources, other members leave them, and other types of surfaces store what they get', async () => {
  const { tenant, productId, path, key } = await mcpSurface(undefined, opening('city'));
  const offered = async () => (await connectMcp(path, key)).getServerCapabilities();
  const put = (behavior: object) => expectStatus(200, tenant.call('PUT', path, { body: { behavior } }));
  await put({ other: 1 });
  expect(await offered()).toHaveProperty('resources');
  await put({ resources: null });
  expect(await offered()).not.toHaveProperty('resources');
  await put({ resources: { recordTypes: [] } });
  expect(await offered()).not.toHaveProperty('resources');
  const api = await createSurface(tenant, productId, { type: 'api', behavior: { resources: 'x' } });
  expect(api.behavior).toEqual({ resources: 'x' });
});

test('texts that are no well-formed Unicode are errors of the caller', async () => {
  const { tenant, path, key } = await mcpSurface(undefined, opening('city'));
  await newRecord(tenant, { type: 'city', name: 'Bern' });
  const errorOf = async (method: string, params: object) => {
    const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method, params });
    return JSON.parse(text).error;
  };
  const argument = { name: 'name', value: '\ud800' };
  const ref = { type: 'ref/resource', uri: 'record:{type}/{name}' };
  expect(await errorOf('completion/complete', { ref, argument })).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('argument.value'),
  });
  expect((await errorOf('resources/read', { uri: 'record:city/\ud800' })).message).toContain('not found');
  expect((await errorOf('resources/read', { uri: `record:city/${'x'.repeat(2_000)}` })).message).toContain(
    'not found',
  );
});
