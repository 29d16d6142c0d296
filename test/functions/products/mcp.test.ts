import {
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
} from '@modelcontextprotocol/client';
import { decodeJwt } from 'jose';
import { expect, test } from 'vitest';
import { mcpPort } from '../../../shared/adapters/mcp-client/mcp-adapter.ts';
import { createScriptedAgent, scripted as saying } from '../../support/agents/agent-runs.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { allowHost } from '../../support/servers/loopback.ts';
import { eventually } from '../../support/stack/eventually.ts';
import { newKey } from '../../support/stack/keys.ts';
import { callerWith, stack } from '../../support/stack/stack.ts';
import {
  addSurfaceKey,
  connectMcp,
  greeting,
  list,
  mcpProtocols,
  mcpSurface,
  postMcp,
  scriptStep,
} from '../../support/surfaces/mcp-surface.ts';
import { addCapability, addItem, createSurface } from '../../support/surfaces/products.ts';

test.each(mcpProtocols)('%s: the official client lists the tools and calls one', async (version, mode) => {
  const { path, key } = await mcpSurface();
  const client = await connectMcp(path, key, mode);
  expect(client.getNegotiatedProtocolVersion()).toBe(version);
  expect(client.getServerCapabilities()).toEqual({ tools: {} });
  const { tools } = await client.listTools();
  expect(tools).toEqual([
    {
      name: 'greet',
      title: 'Greet',
      description: 'Greets a person',
      inputSchema: expect.objectContaining({ type: 'object', required: ['person'] }),
    },
  ]);
  const result = await client.callTool({ name: 'greet', arguments: { person: 'Ada' } });
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'Hello Ada' }] });
  expect(result.isError).not.toBe(true);
});

test('an object is structured content too, and other values are JSON texts', async () => {
  const object = {
    ...template('-', 'made'),
    type: 'transform-data',
    config: { script: 'return { a: [1] }' },
  };
  const { path, key, tenant, productId, surface } = await mcpSurface([object]);
  const list = { ...object, config: { script: 'return [1, null]' } };
  const flow = await publishedFlow(tenant, [list]);
  const given = { capabilityName: 'List', flowId: flow.id };
  const { id } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
  const client = await connectMcp(path, key);
  expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({
    content: [{ type: 'text', text: '{"a":[1]}' }],
    structuredContent: { a: [1] },
  });
  const listed = await client.callTool({ name: 'list', arguments: {} });
  expect(listed).toMatchObject({ content: [{ type: 'text', text: '[1,null]' }] });
  expect(listed).not.toHaveProperty('structuredContent');
});

const stored = (filename: string, content: string) => ({
  ...template('-', 'stored'),
  type: 'store-asset',
  config: { filename, content: Buffer.from(content).toString('base64') },
});

test.each(mcpProtocols)(
  '%s: a stored file is a link, and an image or a sound its content too',
  async (_, mode) => {
    for (const [filename, type, mimeType] of [
      ['a.png', 'image', 'image/png'],
      ['a.mp3', 'audio', 'audio/mpeg'],
      ['a.svg', undefined, 'image/svg+xml'],
      ['a.pdf', undefined, 'application/pdf'],
    ] as const) {
      const { path, key } = await mcpSurface([stored(filename, 'the bytes')]);
      const client = await connectMcp(path, key, mode);
      const { content, structuredContent } = await client.callTool({ name: 'greet', arguments: {} });
      const { url } = structuredContent as { url: string };
      const link = { type: 'resource_link', uri: url, name: filename, mimeType, size: 9 };
      const data = Buffer.from('the bytes').toString('base64');
      expect(content).toEqual([...(type ? [{ type, data, mimeType }] : []), link]);
      expect(await (await fetch(url)).text()).toBe('the bytes');
    }
  },
);

test('the content of a large file, of another tenant and of any other place is not read', async () => {
  const text = { ...scriptStep('return "AAAA".repeat(333_334)'), order: 0 };
  const large = { ...stored('a.png', ''), order: 1, config: { filename: 'a.png', content: '{{ made }}' } };
  const callOf = async ({ path, key }: { path: string; key: string }) =>
    (await connectMcp(path, key)).callTool({ name: 'greet', arguments: {} });
  const own = await callOf(await mcpSurface([text, large]));
  expect(own).toMatchObject({ content: [{ type: 'resource_link', size: 1_000_002 }] });
  const small = (await callOf(await mcpSurface([stored('a.png', 'secret')]))).structuredContent as {
    url: string;
  };
  for (const url of [small.url, `${stack().url}/v1/health`, 'file:///etc/passwd', '']) {
    const output = JSON.stringify({ ...small, url });
    const result = await callOf(await mcpSurface([scriptStep(`return ${output}`)]));
    expect(result.content).toMatchObject([{ type: 'resource_link', uri: url }]);
  }
});

test('an output that is content of the protocol is passed on, and anything like it is an object', async () => {
  const content = [
    { type: 'text', text: 'Look' },
    { type: 'resource_link', uri: 'https://example.com/a', name: 'a' },
  ];
  const resultOf = async (output: object) => {
    const { path, key } = await mcpSurface([scriptStep(`return ${JSON.stringify(output)}`)]);
    return (await connectMcp(path, key)).callTool({ name: 'greet', arguments: {} });
  };
  const passed = await resultOf({ content, structuredContent: { a: 1 } });
  expect([passed.content, passed.structuredContent]).toEqual([content, { a: 1 }]);
  expect(await resultOf({ content })).not.toHaveProperty('structuredContent');
  for (const output of [{ content: 'x' }, { content: [] }, { content: [{ type: 'x' }] }, { content, a: 1 }]) {
    const { structuredContent } = await resultOf(output);
    expect(structuredContent).toEqual(output);
  }
});

test.each(mcpProtocols)(
  '%s: wrong arguments are results that name them, and nothing runs',
  async (_, mode) => {
    const { path, key, tenant, flow } = await mcpSurface();
    const client = await connectMcp(path, key, mode);
    const wrong = await client.callTool({ name: 'greet', arguments: {} });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('person') }] });
    const { data } = await expectStatus(200, tenant.call('GET', `/v1/flows/${flow.id}/step-results`));
    expect(data).toEqual([]);
  },
);

test('a failed run is a result without its steps, and with the reason for test keys only', async () => {
  const inner = template('the inner text', 'inner');
  const failing = {
    ...template('-', 'made'),
    type: 'transform-data',
    config: { script: 'throw Error("No")' },
  };
  const { path, key, tenant } = await mcpSurface([inner, failing]);
  const resultFor = async (key: string) =>
    (await connectMcp(path, key)).callTool({ name: 'greet', arguments: {} });
  const live = await resultFor(key);
  expect(live).toMatchObject({ isError: true, content: [{ text: 'The run failed' }] });
  const tested = await resultFor(await addSurfaceKey(tenant, path, { environment: 'test' }));
  expect(tested).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('No') }] });
  expect(JSON.stringify(tested)).not.toContain('the inner text');
});

test('a deleted flow is a result that says so', async () => {
  const { path, key, tenant, flow } = await mcpSurface();
  const client = await connectMcp(path, key);
  await expectStatus(204, tenant.call('DELETE', `/v1/flows/${flow.id}`));
  expect(await client.callTool({ name: 'greet', arguments: { person: 'Ada' } })).toMatchObject({
    isError: true,
    content: [{ text: 'The flow that this endpoint runs was deleted' }],
  });
});

test('a run that waits tells its id', async () => {
  const wait = { ...template('-', 'waited'), type: 'wait-until', config: { delayMs: 3_600_000 } };
  const { path, key } = await mcpSurface([wait]);
  const client = await connectMcp(path, key);
  const result = await client.callTool({ name: 'greet', arguments: {} });
  expect(result).toMatchObject({ content: [{ text: expect.stringMatching(/continues at .+ exec_/) }] });
});

test('an agent answers as a tool', async () => {
  const { tenant, productId, surface, path, key } = await mcpSurface();
  const agent = await createScriptedAgent(tenant);
  const given = { capabilityName: 'Ask', agentId: agent.id };
  const { id } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
  const client = await connectMcp(path, key);
  const message = saying({ text: 'an answer' });
  const answer = await client.callTool({ name: 'ask', arguments: { message } });
  expect(answer).toMatchObject({ content: [{ type: 'text', text: 'an answer' }] });
  const { data } = await expectStatus(200, tenant.call('GET', `/v1/agents/${agent.id}/executions`));
  expect(data).toMatchObject([{ surfaceType: 'mcp', status: 'completed' }]);
});

test.each(mcpProtocols)('%s: progress counts the steps, for who asks for it', async (_, mode) => {
  const { path, key } = await mcpSurface([template('a', 'a'), template('b', 'b'), greeting]);
  const client = await connectMcp(path, key, mode);
  const seen: unknown[] = [];
  const call = { name: 'greet', arguments: { person: 'Ada' } };
  await client.callTool(call, { onprogress: ({ progress }) => seen.push(progress) });
  expect(seen).toEqual([1, 2, 3]);
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
  const { text } = await postMcp(key, path, request);
  expect(text).toContain('Hello Ada');
  expect(text).not.toContain('notifications/progress');
});

test.each(mcpProtocols)('%s: a run ends when its caller goes', async (_, mode) => {
  const { tenant, productId, surface, path, key } = await mcpSurface();
  const agent = await createScriptedAgent(tenant, { model: 'generic-openai/hanging' });
  const given = { capabilityName: 'Ask', agentId: agent.id };
  const { id } = await expectStatus(201, addCapability(tenant, productId, given));
  await expectStatus(201, addItem(tenant, surface, { capabilityId: id }));
  const client = await connectMcp(path, key, mode);
  const message = 'Hello';
  const answer = client.callTool({ name: 'ask', arguments: { message } });
  answer.catch(() => {});
  const executions = async () =>
    (await expectStatus(200, tenant.call('GET', `/v1/agents/${agent.id}/executions`))).data;
  await eventually(async () => expect(await executions()).toMatchObject([{ status: 'running' }]));
  await client.close();
  await eventually(async () => expect(await executions()).toMatchObject([{ status: 'cancelled' }]));
});

test('a disabled item is no tool, and a key sees the tools in its scopes', async () => {
  const { tenant, path, key, item, surface, capability } = await mcpSurface();
  const more = { capabilityId: capability.id, endpointSlug: 'again', exposedName: 'Again' };
  await expectStatus(201, addItem(tenant, surface, more));
  const namesFor = async (credential: string) =>
    (await (await connectMcp(path, credential)).listTools()).tools.map(({ name }) => name);
  expect(await namesFor(key)).toEqual(['greet', 'Again']);
  const narrow = await addSurfaceKey(tenant, path, { environment: 'production', scopes: ['again'] });
  expect(await namesFor(narrow)).toEqual(['Again']);
  const call = { name: 'greet', arguments: { person: 'Ada' } };
  await expect((await connectMcp(path, narrow)).callTool(call)).rejects.toThrow('Unknown tool: greet');
  await expectStatus(200, tenant.call('PUT', `${path}/items/${item.id}`, { body: { enabled: false } }));
  expect(await namesFor(key)).toEqual(['Again']);
  const elsewhere = await addSurfaceKey(tenant, path, { environment: 'production', scopes: ['other'] });
  expect((await postMcp(elsewhere, path, list)).status).toBe(403);
});

test('an API key needs PRODUCTS:EXECUTE, or the permission of what it runs', async () => {
  const { tenant, path } = await mcpSurface();
  const statusOf = async (permission: string) => {
    const { key } = await newKey(tenant, { permissions: [permission] });
    return (await postMcp(key, path, list)).status;
  };
  expect(await statusOf('PRODUCTS:EXECUTE')).toBe(200);
  expect(await statusOf('FLOWS:EXECUTE')).toBe(200);
  expect(await statusOf('AGENTS:EXECUTE')).toBe(403);
  expect((await postMcp(tenant.token, path, list)).status).toBe(200);
});

test('an active surface responds, a draft to test keys only, a paused one to nobody', async () => {
  const { tenant, path, key } = await mcpSurface();
  const trial = await addSurfaceKey(tenant, path);
  const statuses = async (status: string) => {
    await expectStatus(200, tenant.call('PUT', path, { body: { status } }));
    return [(await postMcp(key, path, list)).status, (await postMcp(trial, path, list)).status];
  };
  expect(await statuses('draft')).toEqual([403, 200]);
  expect(await statuses('paused')).toEqual([403, 403]);
  expect(await statuses('active')).toEqual([200, 200]);
});

test('a surface of another type has no such endpoints, nor has one that does not exist', async () => {
  const { path, key, tenant, productId } = await mcpSurface([greeting], { type: 'webhook' });
  expect((await postMcp(key, path, list)).status).toBe(404);
  await expectStatus(404, callerWith(key)('GET', `${path}/mcp/info`));
  const nowhere = `/v1/products/${productId}/surfaces/surface_01k9m4v7d3x8qz5w2r6t0y1hbn`;
  expect((await postMcp(tenant.token, nowhere, list)).status).toBe(404);
});

test('a key of another surface is refused', async () => {
  const { tenant, productId, path } = await mcpSurface();
  const other = await createSurface(tenant, productId, { type: 'mcp', status: 'active' });
  const key = await addSurfaceKey(tenant, `/v1/products/${productId}/surfaces/${other.id}`);
  expect((await postMcp(key, path, list)).status).toBe(403);
  await expectStatus(403, callerWith(key)('GET', `${path}/mcp/info`));
});

test('plain messages get JSON, and notifications a 202 without a body', async () => {
  const { path, key } = await mcpSurface();
  const listed = await postMcp(key, path, list);
  expect(listed.headers.get('content-type')).toContain('application/json');
  expect(JSON.parse(listed.text)).toMatchObject({ id: 1, result: { tools: [{ name: 'greet' }] } });
  const pinged = await postMcp(key, path, { jsonrpc: '2.0', id: 'a', method: 'ping' });
  expect([pinged.status, JSON.parse(pinged.text)]).toEqual([200, { jsonrpc: '2.0', id: 'a', result: {} }]);
  const noted = await postMcp(key, path, { jsonrpc: '2.0', method: 'notifications/initialized' });
  expect([noted.status, noted.text]).toEqual([202, '']);
});

test.each<[string, unknown, Record<string, string>, number, number | undefined]>([
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'resources/list' }, {}, 200, -32_601],
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }], {}, 400, undefined],
  ['no JSON-RPC', { id: 1, method: 'tools/list' }, {}, 400, undefined],
  ['no JSON', '{', {}, 400, undefined],
  ['nothing', undefined, {}, 400, undefined],
  ['another media type', 'a=1', { 'content-type': 'text/plain' }, 415, undefined],
  ['an unknown protocol', list, { 'mcp-protocol-version': '1999-01-01' }, 400, -32_000],
  ['no accepted stream', list, { accept: 'application/json' }, 406, -32_000],
])('%s is refused as the protocol says', async (_, message, more, status, code) => {
  const { path, key } = await mcpSurface();
  const answer = await postMcp(key, path, message, more);
  expect([answer.status, JSON.parse(answer.text).error?.code]).toEqual([status, code]);
});

test('info tells clients how to connect', async () => {
  const { path, key, productId } = await mcpSurface();
  const endpoint = `${stack().url}${path}/mcp`;
  expect(await expectStatus(200, callerWith(key)('GET', `${path}/mcp/info`))).toEqual({
    mcp: {
      endpoint,
      manifest: `${endpoint}/info`,
      protocolVersion: '2026-07-28',
      authentication: { type: 'bearer', header: 'Authorization', format: 'Bearer <key>' },
    },
    product: { id: productId, name: 'Greeter', description: null },
  });
});

test('GET and DELETE are not allowed, as there are no sessions', async () => {
  const { path, key } = await mcpSurface();
  for (const method of ['GET', 'DELETE']) {
    const authorization = `Bearer ${key}`;
    const answer = await fetch(`${stack().url}${path}/mcp`, { method, headers: { authorization } });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  }
});

test('without a valid credential, a 401 and the well-known path lead to the issuer of sessions', async () => {
  const { tenant, path } = await mcpSurface();
  const send = (headers: object) =>
    fetch(`${stack().url}${path}/mcp`, {
      method: 'POST',
      body: JSON.stringify(list),
      headers: { accept: 'application/json, text/event-stream', ...headers },
    });
  const [none, wrong] = [await send({}), await send({ authorization: 'Bearer nothing' })];
  expect([none.status, wrong.status]).toEqual([401, 401]);
  expect(restored(wrong).headers.get('www-authenticate')).toContain('error="invalid_token"');
  const { id, key } = await expectStatus(201, tenant.call('POST', `${path}/keys`, { body: {} }));
  await expectStatus(200, tenant.call('DELETE', `${path}/keys/${id}`));
  const gone = await send({ authorization: `Bearer ${key}` });
  const { resourceMetadataUrl = '' } = extractWWWAuthenticateParams(restored(gone));
  expect(extractWWWAuthenticateParams(restored(none))).toMatchObject({ resourceMetadataUrl });
  const serverUrl = `${stack().url}${path}/mcp`;
  const metadata = await discoverOAuthProtectedResourceMetadata(serverUrl, { resourceMetadataUrl });
  const byPath = await discoverOAuthProtectedResourceMetadata(serverUrl);
  expect(byPath).toEqual(metadata);
  expect(metadata).toMatchObject({ resource: serverUrl, bearer_methods_supported: ['header'] });
  expect(metadata.authorization_servers).toEqual([decodeJwt(tenant.token).iss]);
});

/** A response as behind a proxy that undoes what API Gateway does to the header. */
function restored({ status, headers }: Response) {
  expect(headers.has('www-authenticate')).toBe(false);
  const challenge = headers.get('x-amzn-remapped-www-authenticate') ?? '';
  return new Response('', { status, headers: { 'www-authenticate': challenge } });
}

test('the exposed name is the tool’s name, if it can be one and no item has it as slug', async () => {
  const { tenant, path, key, surface, capability } = await mcpSurface();
  const names = ['get_Person.v2', 'Get a person', 'greet'];
  for (const exposedName of names) {
    await expectStatus(201, addItem(tenant, surface, { capabilityId: capability.id, exposedName }));
  }
  const { tools } = await (await connectMcp(path, key)).listTools();
  expect(tools.map(({ name, title }) => [name, title])).toEqual([
    ['greet', 'Greet'],
    ['get_Person.v2', 'get_Person.v2'],
    ['get-a-person', 'Get a person'],
    ['greet-2', 'greet'],
  ]);
  const client = await connectMcp(path, key);
  const call = { name: 'get_Person.v2', arguments: { person: 'Ada' } };
  expect(await client.callTool(call)).toMatchObject({ content: [{ text: 'Hello Ada' }] });
});

test('pages of other origins are refused', async () => {
  const { path, key } = await mcpSurface();
  const statusOf = async (origin: string) => (await postMcp(key, path, list, { origin })).status;
  expect(await statusOf('http://evil.example.com')).toBe(403);
  expect(await statusOf('null')).toBe(403);
  expect(await statusOf(new URL(stack().url).origin)).toBe(200);
});

test('the MCP client of our agents calls it', async () => {
  const { path, key } = await mcpSurface();
  allowHost(new URL(stack().url).host);
  const server = {
    url: `${stack().url}${path}/mcp`,
    headers: { authorization: `Bearer ${key}` },
    timeoutMs: 10_000,
    signal: new AbortController().signal,
  };
  const port = mcpPort('a tenant');
  expect(await port.listTools(server)).toMatchObject({ tools: [{ name: 'greet' }], omitted: 0 });
  const call = (args: Record<string, unknown>) => port.callTool({ ...server, toolName: 'greet', args });
  expect(await call({ person: 'Ada' })).toEqual({ output: 'Hello Ada' });
  expect(await call({})).toEqual({ failure: expect.stringContaining('person') });
});
