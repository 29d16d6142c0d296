import { expect, test } from 'vitest';
import {
  conversationEntity,
  conversationPartition,
} from '../../../shared/domain/conversations/conversation.ts';
import { conversationStore } from '../../../shared/domain/conversations/conversation-store.ts';
import { answerBytesMax } from '../../../shared/platform/http/responses/body-sizes.ts';
import { payloadNames } from '../../support/data/payload-bucket.ts';
import { expectStatus } from '../../support/flows/flows.ts';
import { notFoundBody } from '../../support/stack/errors.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { countingRuntime, newTenant, type Tenant } from '../../support/stack/stack.ts';
import { tokenOfFlow } from '../../support/surfaces/client-tokens.ts';
import {
  alternatingMessages,
  conversationsPath,
  createConversation,
  replaceMessages,
} from '../../support/surfaces/conversations.ts';

const storeOf = ({ tenant }: Tenant) => conversationStore(countingRuntime().scopeOf(tenant));
const pathOf = (id: string) => `${conversationsPath}/${id}`;
const itemsOf = ({ tenant }: Tenant, id: string) =>
  countingRuntime()
    .scopeOf(tenant)
    .table.queryAll({ partition: conversationPartition(id) });

type Listed = { id: string; title: string };
const idsIn = (messages: { id: string }[]) => messages.map(({ id }) => id);

test('a conversation that has expired is gone at once, although it is still stored', async () => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant);
  await replaceMessages(tenant, id, alternatingMessages(2));
  const { table } = countingRuntime().scopeOf(tenant.tenant);
  const ttl = Math.floor(Date.now() / 1_000);
  await table.commit([table.writes.update(conversationEntity, { id }, { set: { ttl } })]);
  await expectStatus(404, tenant.call('GET', pathOf(id)));
  await expectStatus(404, tenant.call('PATCH', pathOf(id), { body: { title: 'Again' } }));
  const { conversations, pagination } = await expectStatus(
    200,
    tenant.call('GET', `${conversationsPath}?includeCount=true`),
  );
  expect({ conversations, totalCount: pagination.totalCount }).toEqual({ conversations: [], totalCount: 0 });
  expect(await itemsOf(tenant, id)).not.toContainEqual(expect.objectContaining({ SK: 'CONVERSATION' }));
});

test('a conversation is created with its defaults, read, listed and deleted', async () => {
  const tenant = await newTenant();
  const conversation = await createConversation(tenant);
  expect(conversation).toEqual({
    id: expect.stringMatching(/^conv_/),
    title: 'New Chat',
    source: 'app',
    messageCount: 0,
    modelId: null,
    ownerId: null,
    systemPrompt: null,
    metadata: {},
    messages: [],
    messagesCursor: null,
    clientTokenId: null,
    surfaceId: null,
    flowId: null,
    origin: null,
    feedback: [],
    usage: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const { id } = conversation;
  expect(await expectStatus(200, tenant.call('GET', pathOf(id)))).toEqual(conversation);
  const list = () => expectStatus(200, tenant.call('GET', conversationsPath));
  const { title, modelId, ownerId, source, messageCount, createdAt, updatedAt } = conversation;
  expect(await list()).toEqual({
    conversations: [{ id, title, modelId, ownerId, source, messageCount, createdAt, updatedAt }],
    pagination: expect.objectContaining({ limit: 50, hasMore: false, nextCursor: null }),
  });
  expect((await tenant.call('DELETE', pathOf(id))).status).toBe(204);
  expect((await list()).conversations).toEqual([]);
  for (const [method, action] of [
    ['GET', ''] as const,
    ['PUT', ''] as const,
    ['DELETE', ''] as const,
    ['GET', '/export'] as const,
  ]) {
    const answer = tenant.call(method, pathOf(id) + action, method === 'PUT' ? { body: {} } : {});
    expect(await expectStatus(404, answer)).toEqual(notFoundBody('Conversation'));
  }
});

test.each<[string, object, object?]>([
  ['the title', { title: 'Other' }],
  ['the model', { modelId: 'gpt' }],
  ['no model', { modelId: null }],
  ['the owner', { ownerId: 'bob' }],
  ['no owner', { ownerId: null }],
  ['the system prompt', { systemPrompt: '' }],
  ['no system prompt', { systemPrompt: null }],
  ['the metadata', { metadata: { b: 2 } }],
  ['no metadata', { metadata: null }, { metadata: {} }],
  ['no messages', { messages: [] }, { messages: [], messageCount: 0 }],
  ['nothing', {}],
])('a change of %s leaves the rest', async (_what, changes, expected = changes) => {
  const tenant = await newTenant();
  const given = { title: 'One', modelId: 'm', ownerId: 'ada', systemPrompt: 'Be brief', metadata: { a: 1 } };
  const { id } = await createConversation(tenant, given);
  const before = await replaceMessages(tenant, id, alternatingMessages(1));
  const changed = await expectStatus(200, tenant.call('PUT', pathOf(id), { body: changes }));
  expect(changed).toEqual({ ...before, ...expected, updatedAt: expect.any(String) });
  expect(await expectStatus(200, tenant.call('GET', pathOf(id)))).toEqual(changed);
});

test('replacing messages removes the former ones with their payloads, as does deleting the conversation', async () => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant);
  const large = 'x'.repeat(300_000);
  await replaceMessages(tenant, id, alternatingMessages(120));
  const body = { messages: [{ id: 'm0', role: 'user', content: large }, ...alternatingMessages(3).slice(1)] };
  const replaced = await expectStatus(200, tenant.call('PUT', pathOf(id), { body }));
  expect(replaced).toMatchObject({ messageCount: 3, messages: [{ content: large }, {}, { id: 'm2' }] });
  // The conversation, three messages, and their ids.
  expect(await itemsOf(tenant, id)).toHaveLength(7);
  const { tenant: name } = tenant;
  const payloads = () => payloadNames(`conversations/${name}`);
  const [first] = await payloads();
  await expectStatus(200, tenant.call('PUT', pathOf(id), { body }));
  expect(await payloads()).toEqual([expect.not.stringMatching(first ?? '')]);
  await expectStatus(204, tenant.call('DELETE', pathOf(id)));
  await eventually(async () => expect(await itemsOf(tenant, id)).toEqual([]));
  await eventually(async () => expect(await payloads()).toEqual([]));
});

test('messages are read from the newest, page by page, each once', async () => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant);
  await replaceMessages(tenant, id, alternatingMessages(130));
  const get = async (query: string) => expectStatus(200, tenant.call('GET', `${pathOf(id)}?${query}`));
  const first = await get('');
  expect(idsIn(first.messages)).toEqual(idsIn(alternatingMessages(130).slice(80)));
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await get(`messagesLimit=40${cursor}`);
    expect(page.messages.length).toBeGreaterThan(0);
    seen.unshift(...idsIn(page.messages));
    if (page.messagesCursor === null) break;
    cursor = `&messagesCursor=${page.messagesCursor}`;
  }
  expect(seen).toEqual(idsIn(alternatingMessages(130)));
  const all = await get('messagesLimit=200');
  expect(all).toMatchObject({ messagesCursor: null, messageCount: 130 });
  expect(all.messages).toHaveLength(130);
  expect(all.messages[0]).toEqual({
    id: 'm0',
    role: 'user',
    content: 'message 0',
    createdAt: expect.any(String),
  });
});

test('a page ends before it is too large for a response, and has at least one message', async () => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant);
  const store = storeOf(tenant);
  const texts = ['a', '"'.repeat(900_000), '\n'.repeat(900_000), 'x'.repeat(1_900_000), '漢'.repeat(700_000)];
  for (const message of alternatingMessages(texts.length, (n) => texts[n] ?? ''))
    await store.append(id, [message]);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await expectStatus(200, tenant.call('GET', `${pathOf(id)}?messagesLimit=200${cursor}`));
    expect(Buffer.byteLength(JSON.stringify({ body: JSON.stringify(page) }))).toBeLessThan(answerBytesMax);
    expect(page.messages.length).toBeGreaterThan(0);
    seen.unshift(...page.messages.map(({ content }: { content: string }) => content));
    if (page.messagesCursor === null) break;
    cursor = `&messagesCursor=${page.messagesCursor}`;
  }
  expect(seen).toEqual(texts);
});

test('a cursor is not valid for other conversations, nor once the messages were replaced', async () => {
  const tenant = await newTenant();
  const [{ id }, other] = [await createConversation(tenant), await createConversation(tenant)];
  await replaceMessages(tenant, id, alternatingMessages(3));
  await replaceMessages(tenant, other.id, alternatingMessages(3));
  const { messagesCursor: cursor } = await expectStatus(
    200,
    tenant.call('GET', `${pathOf(id)}?messagesLimit=1`),
  );
  const get = (ofId: string, value: string) =>
    tenant.call('GET', `${pathOf(ofId)}?messagesCursor=${encodeURIComponent(value)}`);
  expect(idsIn((await expectStatus(200, get(id, cursor))).messages)).toEqual(['m0', 'm1']);
  const json = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  for (const value of ['x', json({}), json([]), json(null), json({ generation: 'x', number: 1 })]) {
    const { details } = await expectStatus(400, get(id, value));
    expect(details).toMatchObject([{ path: 'messagesCursor', code: 'INVALID_CURSOR' }]);
  }
  await expectStatus(400, get(other.id, cursor));
  await replaceMessages(tenant, id, alternatingMessages(3));
  await expectStatus(400, get(id, cursor));
});

test('conversations are listed by source, owner, client token, surface and text, and page by page', async () => {
  const tenant = await newTenant();
  const { id: tokenId, flow } = await tokenOfFlow(tenant);
  const store = storeOf(tenant);
  const by = { userId: tenant.userId, organizationId: null };
  const surfaceId = `surface_${'0'.repeat(26)}`;
  const client = { tokenId, flowId: flow.id, origin: 'https://example.com', surfaceId };
  const ofClient = await store.create(by, { title: 'Visitor', client });
  await store.append(ofClient.id, [{ id: 'a', role: 'user', content: 'Where is my PARCEL?' }]);
  await createConversation(tenant, { title: 'Of Ada', ownerId: 'ada' });
  await createConversation(tenant, { title: 'Of Bob', ownerId: 'Bob & co' });
  const titles = async (query: string) =>
    (await expectStatus(200, tenant.call('GET', `${conversationsPath}?${query}`))).conversations.map(
      ({ title }: Listed) => title,
    );
  for (const [query, expected] of [
    ['', ['Of Bob', 'Of Ada', 'Visitor']],
    ['source=all', ['Of Bob', 'Of Ada', 'Visitor']],
    ['source=app', ['Of Bob', 'Of Ada']],
    ['source=client_token', ['Visitor']],
    ['ownerId=ada', ['Of Ada']],
    ['ownerId=Bob%20%26%20co', ['Of Bob']],
    ['ownerId=bob', []],
    ['ownerId=ada&source=client_token', []],
    [`client_token_id=${tokenId}`, ['Visitor']],
    [`client_token_id=${tokenId}&ownerId=ada`, []],
    [`client_token_id=clienttoken_${'0'.repeat(26)}`, []],
    [`surface_id=${surfaceId}`, ['Visitor']],
    ['search=parcel', ['Visitor']],
    ['search=VISIT', ['Visitor']],
    ['search=of%20', ['Of Bob', 'Of Ada']],
    ['search=of%20&ownerId=ada', ['Of Ada']],
    ['search=nothing', []],
    ['limit=1', ['Of Bob']],
  ] as const) {
    expect(await titles(query), query).toEqual(expected);
  }
  const { pagination } = await expectStatus(200, tenant.call('GET', `${conversationsPath}?limit=2`));
  expect(pagination).toMatchObject({ limit: 2, hasMore: true });
  expect(await titles(`limit=2&cursor=${pagination.nextCursor}`)).toEqual(['Visitor']);
});

test('an owner that changes is found by the new one only', async () => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant, { ownerId: 'ada' });
  const of = async (ownerId: string) =>
    (await expectStatus(200, tenant.call('GET', `${conversationsPath}?ownerId=${ownerId}`))).conversations;
  await expectStatus(200, tenant.call('PUT', pathOf(id), { body: { ownerId: 'bob' } }));
  expect([await of('ada'), (await of('bob')).length]).toEqual([[], 1]);
  await expectStatus(200, tenant.call('PUT', pathOf(id), { body: { ownerId: null } }));
  expect(await of('bob')).toEqual([]);
});

test('the conversations of a client token: their number, by offset, and of a flow', async () => {
  const tenant = await newTenant();
  const { id: tokenId, flow, path } = await tokenOfFlow(tenant);
  const store = storeOf(tenant);
  const by = { userId: tenant.userId, organizationId: null };
  const place = { tokenId, origin: 'https://example.com', surfaceId: null };
  const other = `flow_${'0'.repeat(26)}`;
  for (let n = 0; n < 5; n++) {
    const flowId = n % 2 ? other : flow.id;
    const { id } = await store.create(by, { title: `c${n}`, client: { ...place, flowId } });
    await store.append(id, [{ id: 'a', role: 'user', content: `Question ${n}` }]);
  }
  const list = (query = '') => expectStatus(200, tenant.call('GET', `${path}/conversations${query}`));
  const all = await list();
  expect(all.pagination).toEqual({ limit: 50, offset: 0, hasMore: false });
  expect(all.conversations[0]).toEqual({
    id: expect.stringMatching(/^conv_/),
    name: 'c4',
    firstMessage: 'Question 4',
    flowId: flow.id,
    origin: 'https://example.com',
    messageCount: 1,
    usage: null,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  });
  const names = async (query: string) =>
    (await list(query)).conversations.map(({ name }: { name: string }) => name);
  expect(await names('?limit=2&offset=1')).toEqual(['c3', 'c2']);
  expect((await list('?limit=2&offset=1')).pagination).toEqual({ limit: 2, offset: 1, hasMore: true });
  expect(await names('?offset=5')).toEqual([]);
  expect(await names(`?flow_id=${other}`)).toEqual(['c3', 'c1']);
  expect(await names(`?flow_id=${other}&limit=1&offset=1`)).toEqual(['c1']);
  for (const query of ['?limit=0', '?limit=101', '?offset=-1', '?offset=10001', '?flow_id=x']) {
    await expectStatus(400, tenant.call('GET', `${path}/conversations${query}`));
  }
  const { clientToken } = await expectStatus(200, tenant.call('GET', path));
  expect(clientToken.conversationCount).toBe(5);
  // They stay when the token is deleted.
  await expectStatus(200, tenant.call('DELETE', path));
  const query = `?client_token_id=${tokenId}`;
  const { conversations } = await expectStatus(200, tenant.call('GET', conversationsPath + query));
  expect(conversations).toHaveLength(5);
});

test('a conversation of a client token gets no owner', async () => {
  const tenant = await newTenant();
  const { id: tokenId } = await tokenOfFlow(tenant);
  const by = { userId: tenant.userId, organizationId: null };
  const client = { tokenId, flowId: null, origin: null, surfaceId: null };
  const { id } = await storeOf(tenant).create(by, { title: 'x', client });
  const { details } = await expectStatus(
    400,
    tenant.call('PUT', pathOf(id), { body: { ownerId: 'ada', title: 'y' } }),
  );
  expect(details).toMatchObject([{ path: 'ownerId', code: 'INVALID_VALUE' }]);
  const { source, clientTokenId, title } = await expectStatus(
    200,
    tenant.call('PUT', pathOf(id), { body: { ownerId: null, title: 'z' } }),
  );
  expect({ source, clientTokenId, title }).toEqual({
    source: 'client_token',
    clientTokenId: tokenId,
    title: 'z',
  });
});

test('the first message of a user is found by its beginning, also after a change of the messages', async () => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant, { title: 'x' });
  const found = async (search: string) =>
    (await expectStatus(200, tenant.call('GET', `${conversationsPath}?search=${search}`))).conversations
      .length;
  await replaceMessages(tenant, id, [
    { id: 's', role: 'system', content: 'hidden' },
    { id: 'u', role: 'user', content: [{ type: 'text', text: '  Anything  ' }] },
  ]);
  expect([await found('anything'), await found('hidden')]).toEqual([1, 0]);
  await replaceMessages(tenant, id, [{ id: 'u', role: 'user', content: 'Something' }]);
  expect([await found('anything'), await found('something')]).toEqual([0, 1]);
});

const message = { id: 'a', role: 'user', content: 'x' };

test.each<[object, string, string]>([
  [{ title: '' }, 'title', 'TOO_SMALL'],
  [{ title: 'x'.repeat(501) }, 'title', 'TOO_BIG'],
  [{ title: null }, 'title', 'INVALID_TYPE'],
  [{ modelId: 'x'.repeat(256) }, 'modelId', 'TOO_BIG'],
  [{ ownerId: '' }, 'ownerId', 'TOO_SMALL'],
  [{ ownerId: 1 }, 'ownerId', 'INVALID_TYPE'],
  [{ systemPrompt: '\ud800' }, 'systemPrompt', 'INVALID_VALUE'],
  [{ ownerId: '\ud800' }, 'ownerId', 'INVALID_VALUE'],
  [{ systemPrompt: 'x'.repeat(100_001) }, 'systemPrompt', 'TOO_LARGE'],
  [{ metadata: { a: 'x'.repeat(100_001) } }, 'metadata', 'TOO_LARGE'],
  [{ metadata: [] }, 'metadata', 'INVALID_TYPE'],
  [{ colour: 'red' }, 'colour', 'UNKNOWN_MEMBER'],
])('400 for %j', async (body, path, code) => {
  const tenant = await newTenant();
  const answer = tenant.call('POST', conversationsPath, { body });
  expect((await expectStatus(400, answer)).details).toContainEqual(expect.objectContaining({ path, code }));
  const { id } = await createConversation(tenant);
  const change = tenant.call('PUT', pathOf(id), { body });
  expect((await expectStatus(400, change)).details).toContainEqual(expect.objectContaining({ path, code }));
});

test.each<[string, object, string, string]>([
  ['no id', { role: 'user', content: 'x' }, 'messages.1.id', 'MISSING_REQUIRED_FIELD'],
  ['the id of another', message, 'messages.1.id', 'DUPLICATE_ID'],
  ['an unknown role', { ...message, role: 'tool' }, 'messages.1.role', 'INVALID_ENUM'],
  ['a member too many', { ...message, id: 'b', x: 1 }, 'messages.1.x', 'UNKNOWN_MEMBER'],
  ['no time', { ...message, id: 'b', createdAt: 'x' }, 'messages.1.createdAt', 'INVALID_FORMAT'],
  ['too much', { ...message, id: 'b', content: '"'.repeat(1_400_000) }, 'messages.1.content', 'TOO_LARGE'],
])('400 for a message with %s', async (_what, second, path, code) => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant);
  const answer = tenant.call('PUT', pathOf(id), { body: { messages: [message, second] } });
  expect((await expectStatus(400, answer)).details).toContainEqual(expect.objectContaining({ path, code }));
  expect((await expectStatus(200, tenant.call('GET', pathOf(id)))).messageCount).toBe(0);
});

test('contents and metadata may hold any text', async () => {
  const tenant = await newTenant();
  const half = 'half of a pair: \ud800';
  const { id } = await createConversation(tenant, { metadata: { half } });
  const { messages, metadata } = await replaceMessages(tenant, id, [
    { id: 'a', role: 'user', content: half },
  ]);
  expect([messages[0].content, metadata]).toEqual([half, { half }]);
  const { conversations } = await expectStatus(200, tenant.call('GET', `${conversationsPath}?search=half`));
  expect(conversations).toHaveLength(1);
});

test('400 for more than 1,000 messages, and for wrong query parameters', async () => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant);
  const body = { messages: alternatingMessages(1_001) };
  expect((await expectStatus(400, tenant.call('PUT', pathOf(id), { body }))).details).toMatchObject([
    { path: 'messages', code: 'TOO_BIG' },
  ]);
  for (const query of ['limit=0', 'limit=x', 'source=web', 'surface_id=x', 'client_token_id=x', 'cursor=x'])
    await expectStatus(400, tenant.call('GET', `${conversationsPath}?${query}`));
  for (const query of ['messagesLimit=0', 'messagesLimit=201', 'messagesCursor='])
    await expectStatus(400, tenant.call('GET', `${pathOf(id)}?${query}`));
});

test('an export has the conversation and all messages, a line each, oldest first', async () => {
  const tenant = await newTenant();
  const { id } = await createConversation(tenant, { title: 'One', metadata: { a: '\n' } });
  const empty = await tenant.call('GET', `${pathOf(id)}/export`);
  expect(empty.headers.get('content-type')).toBe('application/jsonl; charset=utf-8');
  expect(empty.headers.get('content-disposition')).toContain(`${id}.jsonl`);
  await replaceMessages(
    tenant,
    id,
    alternatingMessages(250, (n) => `line\n${n}`),
  );
  const response = await tenant.call('GET', `${pathOf(id)}/export`);
  expect(response.status).toBe(200);
  const lines = String(response.body)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(251);
  expect(lines[0]).toMatchObject({ type: 'conversation', id, title: 'One', messageCount: 250 });
  expect(lines.slice(1).map((line) => line.id)).toEqual(idsIn(alternatingMessages(250)));
  expect(lines[1]).toEqual({
    type: 'message',
    id: 'm0',
    role: 'user',
    content: 'line\n0',
    createdAt: expect.any(String),
  });
  const { details } = await expectStatus(400, tenant.call('GET', `${pathOf(id)}/export?after=x`));
  expect(details).toMatchObject([{ path: 'after', code: 'INVALID_CURSOR' }]);
});
