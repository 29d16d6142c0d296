import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { endpoints } from '../../../functions/index.ts';
import { generateKey } from '../../../shared/platform/auth/key-format.ts';
import { addressRelay } from '../../../shared/platform/auth/relayed-address.ts';
import { publishedFlow, template } from '../../support/flows/flows.ts';
import { newKey } from '../../support/stack/keys.ts';
import { countingRuntime, newTenant, stack } from '../../support/stack/stack.ts';
import { connectMcp, mcpProtocols, postMcp } from '../../support/surfaces/mcp-surface.ts';

type Mcp = Awaited<ReturnType<typeof connectMcp>>;

async function caller(permissions: readonly string[] = ['*']) {
  const tenant = await newTenant();
  const { key: secret } = await newKey(tenant, { permissions });
  return { tenant, mcp: await connectMcp('/v1', secret), key: secret };
}

/** The structured result of a tool. */
async function use(mcp: Mcp, name: string, args: object) {
  const result = await mcp.callTool({ name, arguments: args as Record<string, unknown> });
  const [block] = result.content as { text: string }[];
  return {
    isError: result.isError === true,
    text: block?.text ?? '',
    value: result.structuredContent as never,
  };
}

const call = async (mcp: Mcp, id: string, more: object = {}) =>
  (await use(mcp, 'call_operation', { id, ...more })).value as { status: number; body: never };

test.each(mcpProtocols)(
  'an assistant builds, tests, publishes and runs a flow, by %s',
  async (_name, mode) => {
    const tenant = await newTenant();
    const { key: secret } = await newKey(tenant, { permissions: ['*'] });
    const mcp = await connectMcp('/v1', secret, mode);
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search_operations',
      'describe_operation',
      'call_operation',
    ]);
    const idFor = async (query: string, wanted: string) => {
      const { value } = await use(mcp, 'search_operations', { query });
      const ids = (value as { operations: { id: string }[] }).operations.map(({ id }) => id);
      expect(ids).toContain(wanted);
      return wanted;
    };
    const create = await idFor('create a flow', 'flows.create');
    const described = (await use(mcp, 'describe_operation', { id: create })).value as {
      request: string;
      path?: object;
      destructive: boolean;
      schemas: object;
      moreSchemas: string[];
    };
    expect(described).toMatchObject({ request: 'POST /v1/flows', destructive: false });
    const stepTypes = [...Object.keys(described.schemas), ...described.moreSchemas];
    expect(stepTypes).toContain('TemplateStep');
    const { value: remove } = await use(mcp, 'describe_operation', { id: 'flows.delete' });
    expect(remove).toMatchObject({
      request: 'DELETE /v1/flows/{id}',
      path: { id: { type: 'string' } },
      destructive: true,
    });
    const step = await use(mcp, 'describe_operation', { id: create, schemas: ['TemplateStep'] });
    expect(step.text).toContain('outputVariable');
    const flowSteps = [template('Hello {{ who }}', 'greeting')];
    const wrong = { name: 'Greeter', flowSteps: [{ ...flowSteps[0], config: { template: '{{ who' } }] };
    const refused = await use(mcp, 'call_operation', { id: create, body: wrong });
    expect(refused).toMatchObject({ isError: true, value: { status: 400 } });
    expect(refused.text).toContain('flowSteps.0.config.template');
    const made = await call(mcp, create, { body: { name: 'Greeter', flowSteps } });
    const { id } = made.body as { id: string };
    expect(made.status).toBe(201);
    const run = await idFor('dispatch run a flow', 'dispatch.run');
    const body = { flow: { id }, inputs: { who: 'Ada' }, options: { streamResponse: false } };
    expect(await call(mcp, run, { body })).toMatchObject({ status: 200, body: { output: 'Hello Ada' } });
    expect(await call(mcp, 'flows.publish', { path: { id } })).toMatchObject({ status: 200 });
    expect(await call(mcp, 'flows.list', { query: { limit: 1, search: 'greet' } })).toMatchObject({
      status: 200,
      body: { data: [{ id }] },
    });
  },
);

test('a call has the permissions of the credential, and no more', async () => {
  const { tenant, mcp } = await caller(['FLOWS:READ']);
  const flow = await publishedFlow(tenant);
  expect(await call(mcp, 'flows.get', { path: { id: flow.id } })).toMatchObject({ status: 200 });
  const denied = await use(mcp, 'call_operation', { id: 'flows.delete', path: { id: flow.id } });
  expect(denied).toMatchObject({ isError: true, value: { status: 403 } });
  const other = await newTenant();
  const foreign = await publishedFlow(other);
  expect(await call(mcp, 'flows.get', { path: { id: foreign.id } })).toMatchObject({ status: 404 });
});

test('an operation that returns nothing is called too', async () => {
  const { tenant, mcp } = await caller();
  const { id } = await publishedFlow(tenant);
  expect(await call(mcp, 'flows.delete', { path: { id } })).toEqual({ status: 204, body: null });
  expect(await call(mcp, 'flows.get', { path: { id } })).toMatchObject({ status: 404 });
});

test('a key of a call makes a repetition do nothing', async () => {
  const { mcp } = await caller();
  const request = { body: { name: 'Once', flowSteps: [] }, idempotencyKey: 'once-only' };
  const first = await call(mcp, 'flows.create', request);
  expect(await call(mcp, 'flows.create', request)).toEqual(first);
});

test.each([
  ['an unknown operation', { id: 'flows.destroy' }, 'search_operations'],
  ['itself', { id: 'api-mcp.serve', body: {} }, 'There is no operation'],
  ['a missing part of the path', { id: 'flows.get' }, 'Required: path.id'],
  ['an empty part of the path', { id: 'flows.get', path: { id: '' } }, 'Required: path.id'],
  ['an unknown part of the path', { id: 'flows.list', path: { id: 'x' } }, 'has no path.id'],
  ['an unknown member of the query', { id: 'flows.list', query: { nope: 1 } }, 'has no query.nope'],
  ['a part of the path that is a dot', { id: 'flows.get', path: { id: '.' } }, 'path.id may not be'],
  [
    'a way back to itself',
    { id: 'surface-mcp.serve', path: { id: '..', surfaceId: '..' }, body: {} },
    'path.id may not be',
  ],
  ['a key with a line break', { id: 'flows.create', body: {}, idempotencyKey: 'a\nb' }, 'idempotencyKey'],
  ['a body where there is none', { id: 'flows.list', body: { a: 1 } }, 'takes no body'],
  ['files', { id: 'records.upload-csv', body: {} }, 'takes files'],
  ['unknown arguments', { id: 'flows.list', nope: 1 }, 'nope'],
  ['no arguments', {}, 'id'],
] as const)('%s is a result that says so', async (_name, args, words) => {
  const { mcp } = await caller();
  const { isError, text } = await use(mcp, 'call_operation', args);
  expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining(words) });
});

test('an empty body is none, as over HTTP', async () => {
  const { tenant, mcp } = await caller();
  const flow = await publishedFlow(tenant, [template('Hello')]);
  expect(await call(mcp, 'flows.list', { body: {} })).toMatchObject({ status: 200 });
  expect(await call(mcp, 'flows.delete', { path: { id: flow.id }, body: {} })).toMatchObject({ status: 204 });
});

test('a part of the path cannot leave its place', async () => {
  const { mcp } = await caller();
  for (const id of ['../../v1/api-keys', '...', 'x?limit=1', 'x/publish']) {
    const { value } = await use(mcp, 'call_operation', { id: 'flows.get', path: { id } });
    expect((value as { status: number }).status).toBeGreaterThanOrEqual(400);
  }
});

test('what streams and what is long ends, and says that it is cut', async () => {
  const { mcp } = await caller();
  const flow = { name: 'Long', steps: [template('{{ text }}')] };
  const body = { flow, inputs: { text: 'x'.repeat(150_000) }, options: { streamResponse: true } };
  const { body: text, ...cut } = await call(mcp, 'dispatch.run', { body });
  expect(cut).toMatchObject({ status: 200, note: expect.stringContaining('cut') });
  expect(String(text).length).toBe(100_000);
});

test('flows, agents and runs are resources, without those that the credential may not read', async () => {
  const { tenant, mcp } = await caller(['FLOWS:READ']);
  const flow = await publishedFlow(tenant, [template('Hello')]);
  await tenant.call('POST', '/v1/agents', { body: { name: 'An agent' } });
  const options = { streamResponse: false };
  const { body } = await tenant.call('POST', '/v1/dispatch', { body: { flow: { id: flow.id }, options } });
  const { resources } = await mcp.listResources();
  const uris = resources.map(({ uri }) => uri);
  expect(uris).toContain(`flow:${flow.id}`);
  expect(uris.filter((uri) => uri.startsWith('agent:'))).toEqual([]);
  const { contents } = await mcp.readResource({ uri: `flow:${flow.id}` });
  expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ id: flow.id });
  const { contents: ran } = await mcp.readResource({ uri: `run:${body.executionId}` });
  expect((ran[0] as { text: string }).text).toContain(body.executionId);
  await expect(mcp.readResource({ uri: 'flow:flow_01k9m4v7d3x8qz5w2r6t0y1hbn' })).rejects.toThrow();
  await expect(mcp.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow();
  await expect(mcp.listResources({ cursor: 'bm9wZQ' })).rejects.toThrow(/cursor/i);
});

test('without a credential there is nothing; a page of another origin is refused', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  expect((await postMcp('', '/v1', message)).status).toBe(401);
  const { key } = await caller();
  expect((await postMcp(key, '/v1', message, { origin: 'https://evil.example' })).status).toBe(403);
});

/** What deletes says so. */
test('every operation whose name says that it deletes is destructive', () => {
  const unsaid = endpoints.filter(
    ({ id, method, ...endpoint }) =>
      /delete|remove|purge|clear/.test(id) && method !== 'DELETE' && !('deletes' in endpoint),
  );
  expect(unsaid).toEqual([]);
});

/** A call of an operation that arrives from another address of this machine. */
function callFrom(localAddress: string, key: string, args: object, more: object = {}) {
  const params = { name: 'call_operation', arguments: args };
  return requestFrom(localAddress, '/v1/mcp', key, {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    headers: { accept: 'application/json, text/event-stream', ...more },
  });
}

interface Sent {
  body?: object;
  headers?: object;
}

async function requestFrom(localAddress: string, path: string, key: string, { body, headers }: Sent = {}) {
  const sent = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers };
  const options = { method: body ? 'POST' : 'GET', localAddress, headers: sent };
  const [response] = (await once(
    request(stack().url + path, options).end(body && JSON.stringify(body)),
    'response',
  )) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}

const outcomeOf = ({ text: answer }: { text: string }): { status: number; body: { id: string } } =>
  JSON.parse(/^data: (.*)$/m.exec(answer)?.[1] ?? answer).result.structuredContent;

test('an operation is called from the address of the caller, which no other header can say', async () => {
  const tenant = await newTenant();
  const { key, id } = await newKey(tenant, { permissions: ['*'], allowedIps: ['127.0.0.2'] });
  const create = { id: 'secrets.create', body: { key: 'FROM_THERE', value: 'a-value-of-it' } };
  const made = outcomeOf(await callFrom('127.0.0.2', key, create));
  expect(made.status).toBe(201);
  const { data } = (await tenant.call('GET', '/v1/audit-log?limit=100')).body;
  const entries = data.filter(({ keyId }: { keyId: string }) => keyId === id);
  expect(entries).toMatchObject([{ keyId: id, sourceIp: '127.0.0.2' }]);
  expect((await callFrom('127.0.0.3', key, create)).status).toBe(403);
  const forged = { 'x-relayed-caller': generateKey('relay'), 'x-forwarded-for': '127.0.0.2' };
  expect((await requestFrom('127.0.0.3', '/v1/flows', key, { headers: forged })).status).toBe(403);
});

test('the address of a caller holds for his credential alone', async () => {
  const tenant = await newTenant();
  const [one, other] = await Promise.all(
    [1, 2].map(() => newKey(tenant, { permissions: ['*'], allowedIps: ['127.0.0.2'] })),
  );
  const relay = addressRelay(countingRuntime().scopeOf(tenant.tenant));
  const headers = await relay({ authorization: `Bearer ${one?.key}`, sourceIp: '127.0.0.2' });
  const send = (key: string) => requestFrom('127.0.0.3', '/v1/flows', key, { headers });
  expect((await send(one?.key)).status).toBe(200);
  expect((await send(other?.key)).status).toBe(403);
});

test('half of a pair of surrogates in a path or a query is said to be wrong', async () => {
  const { mcp } = await caller();
  const said = async (args: object) => (await use(mcp, 'call_operation', args)).text;
  expect(await said({ id: 'flows.get', path: { id: '\ud800' } })).toContain(
    'path.id is no well-formed Unicode',
  );
  expect(await said({ id: 'flows.list', query: { search: 'a\udc00' } })).toContain(
    'query.search is no well-formed',
  );
});
