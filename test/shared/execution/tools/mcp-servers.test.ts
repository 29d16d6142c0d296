import { beforeEach, expect, test, vi } from 'vitest';
import { mcpPort } from '../../../../shared/adapters/mcp-client/mcp-adapter.ts';
import type { Ports } from '../../../../shared/adapters/ports/ports.ts';
import type { McpServer } from '../../../../shared/domain/flows/steps/mcp-server.ts';
import { openMcpServers } from '../../../../shared/execution/tools/open-configured-tools.ts';
import { called } from '../../../support/files/runnable-tools.ts';
import {
  hostileServer,
  type McpExchange,
  modernServer,
  respondJson,
  result,
  toolText,
} from '../../../support/servers/hostile-mcp-server.ts';
import { mcpServer } from '../../../support/servers/mcp.ts';
import { jsonWebAnswer, web } from '../../../support/servers/web.ts';
import { emptyWorld } from '../../../support/stack/ports.ts';
import { stepFailureMessage } from './run-tool.ts';

beforeEach(() => {
  vi.restoreAllMocks();
});

const { signal } = new AbortController();
const call = (id: string) => ({ id, emit: () => {} });
let tenants = 0;
const world = (tenant = `t${tenants++}`): Ports => ({ ...emptyWorld, mcp: mcpPort(tenant) });

const open = (servers: readonly (Partial<McpServer> & { url: string })[], ports = world()) =>
  openMcpServers(
    ports,
    servers.map((server) => ({ id: 'it', ...server })),
    signal,
  );

/** A server with this list of tools. Responds to calls with `respond`. */
const listing = (tools: object[], respond: (exchange: McpExchange) => unknown = () => undefined) =>
  hostileServer((exchange) => {
    const { message, response } = exchange;
    if (message.method === 'tools/list') return result(response, message.id, { tools });
    return message.method === 'tools/call' ? respond(exchange) : undefined;
  });
const named = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

const outputOf = async ({ tools }: Awaited<ReturnType<typeof open>>, name: string, args: object = {}) =>
  called(
    tools.find((tool) => tool.name === name),
    args,
    signal,
  );

test.each(['modern', 'stateless', 'session'] as const)(
  'lists and calls the tools of a %s server',
  async (kind) => {
    const { url } = await mcpServer({ kind });
    const opened = await open([{ id: 'example', url }]);
    expect(opened.warnings).toEqual([]);
    const names = opened.tools.map(({ id, name, type }) => [id, name, type]);
    expect(names).toContainEqual(['mcp:example:greet', 'example__greet', 'mcp']);
    expect(names).toContainEqual(['mcp:example:multi-greet', 'example__multi-greet', 'mcp']);
    const greet = opened.tools.find(({ name }) => name === 'example__greet');
    expect(greet?.parameters).toMatchObject({ type: 'object', required: ['name'] });
    expect(await outputOf(opened, 'example__greet', { name: 'Ada' })).toEqual({ output: 'Hello, Ada!' });
    expect(await stepFailureMessage(outputOf(opened, 'example__greet', { name: 5 }))).toContain(
      'The arguments do not fit the tool example__greet: name',
    );
    expect(await greet?.preview({ name: 'Ada' }, signal)).toEqual({
      url,
      tool: 'greet',
      arguments: { name: 'Ada' },
      timeoutMs: 30_000,
    });
  },
);

test('disabled servers are not asked, and only allowed tools are shown', async () => {
  const { url, asked } = await listing([named('a'), named('b')]);
  expect(await open([{ url, enabled: false }])).toEqual({ tools: [], warnings: [] });
  expect(asked).toEqual([]);
  const { tools, warnings } = await open([{ url, name: 'Server A', allowedTools: ['b', 'gone'] }]);
  expect(tools.map(({ name }) => name)).toEqual(['it__b']);
  expect(warnings).toEqual(['The MCP server "Server A" has no tool gone']);
});

test('a tool may be called again if its annotations say so', async () => {
  const { url } = await listing([
    named('read', { annotations: { readOnlyHint: true } }),
    named('put', { annotations: { idempotentHint: true } }),
    named('post', { annotations: { readOnlyHint: false, idempotentHint: false } }),
    named('silent'),
  ]);
  const { tools } = await open([{ url }]);
  expect(tools.map(({ name, repeatable }) => [name, repeatable])).toEqual([
    ['it__post', false],
    ['it__put', true],
    ['it__read', true],
    ['it__silent', false],
  ]);
});

test('the tools of a server have one order, in whatever order it lists them', async () => {
  const orders = [
    ['b', 'a', 'c'],
    ['c', 'b', 'a'],
  ];
  for (const names of orders) {
    const { url } = await listing(names.map((name) => named(name)));
    expect((await open([{ url }])).tools.map(({ name }) => name)).toEqual(['it__a', 'it__b', 'it__c']);
  }
});

test('names fit every provider and do not depend on the other tools', async () => {
  const long = `${'x'.repeat(90)}`;
  const { url } = await listing([named('a b'), named('a_b'), named(long), named(`${long}y`)]);
  const { tools } = await open([{ id: 'one', url }]);
  const names = tools.map(({ name }) => name);
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  const alone = await open([{ id: 'one', url, allowedTools: [`${long}y`] }]);
  expect(alone.tools[0]?.name).toBe(names[3]);
  const both = await open([
    { id: 'one', url },
    { id: 'two', url },
  ]);
  expect(new Set(both.tools.map(({ name }) => name)).size).toBe(8);
});

test.each<[McpServer['auth'], Record<string, string>]>([
  [undefined, {}],
  [{ type: 'none', token: 'x' }, {}],
  [{ type: 'bearer', token: 'the-token' }, { authorization: 'Bearer the-token' }],
  [{ type: 'basic', username: 'a', password: 'b' }, { authorization: 'Basic YTpi' }],
  [{ type: 'api_key', token: 'the-token' }, { 'x-api-key': 'the-token' }],
  [{ type: 'custom_header', token: 'the-token', headerName: 'X-Mine' }, { 'x-mine': 'the-token' }],
])('credentials %j are sent with each request as %j', async (auth, expected) => {
  const { url, seen } = await mcpServer({ kind: 'session' });
  const opened = await open([{ url, auth }]);
  await outputOf(opened, 'it__greet', { name: 'Ada' });
  expect(seen.length).toBeGreaterThan(6);
  for (const { headers } of seen) {
    const sent = ['authorization', 'x-api-key', 'x-mine'].flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    expect(Object.fromEntries(sent)).toEqual(expected);
  }
});

test.each(['streamable_http', 'rest'] as const)(
  '%s: a server that repeats its credentials is redacted everywhere',
  async (transport) => {
    const token = 'correct-horse-battery';
    const echo = { ...named('it', { description: `uses ${token}` }) };
    const server =
      transport === 'rest'
        ? await web(({ method, path, headers }) =>
            path.endsWith('fail')
              ? { status: 500, body: `${headers.authorization}` }
              : jsonWebAnswer(method === 'GET' ? [echo, named('fail')] : { seen: headers.authorization }),
          )
        : await listing([echo, named('fail')], ({ message: { id, params }, response, request }) =>
            result(
              response,
              id,
              toolText(`${request.headers.authorization}`, { isError: params?.name === 'fail' }),
            ),
          );
    const opened = await open([{ url: server.url, transport, auth: { type: 'bearer', token } }]);
    const shown = [
      opened,
      await outputOf(opened, 'it__it'),
      await stepFailureMessage(outputOf(opened, 'it__fail')),
    ];
    expect(shown).toHaveLength(3);
    expect(JSON.stringify(shown)).toContain('[secret:mcpServers.it.0]');
    expect(JSON.stringify(shown)).not.toContain(token);
    const refused = await web(({ headers }) => ({ status: 401, body: `${headers.authorization}` }));
    const { warnings } = await open([{ url: refused.url, transport, auth: { type: 'bearer', token } }]);
    expect(warnings).toEqual([
      'The tools of the MCP server "it" are not available: The MCP server asks for authorization (401): check "auth" of the server in the config. It answered: Bearer [secret:mcpServers.it.0]',
    ]);
  },
);

test('servers that are down, slow or broken give warnings, and the tools of the others remain', async () => {
  const { url } = await listing([named('a')]);
  const slow = await hostileServer(() => true);
  const broken = await web(() => ({ status: 503, body: 'maintenance\nuntil\u0007 noon' }));
  const { tools, warnings } = await open([
    { id: 'down', url: 'http://127.0.0.1:1/' },
    { id: 'private', url: 'http://10.0.0.1/mcp' },
    { id: 'slow', url: slow.url, timeout: 1_000 },
    { id: 'broken', url: broken.url },
    { id: 'fine', url },
  ]);
  expect(tools.map(({ name }) => name)).toEqual(['fine__a']);
  const of = (id: string, reason: string) =>
    `The tools of the MCP server "${id}" are not available: ${reason}`;
  expect(warnings).toEqual([
    of('down', 'Port 1 is not a port of web servers'),
    of('private', '10.0.0.1 is not a public address and may not be reached'),
    of('slow', `${slow.url} did not answer within 1000 ms`),
    of('broken', 'The MCP server answered 503: maintenance until noon'),
  ]);
});

test('a server that dies between list and call, and one that no longer has the tool, name the server', async () => {
  let dead = false;
  const { url } = await hostileServer(({ message, response }) => {
    if (dead) return response.destroy();
    if (message.method === 'tools/list') return result(response, message.id, { tools: [named('a')] });
    return undefined;
  });
  const opened = await open([{ url, name: 'My server' }]);
  expect(await stepFailureMessage(outputOf(opened, 'it__a'))).toBe(
    'The tool it__a of the MCP server "My server" failed: The MCP server answered with an error: Method not found',
  );
  dead = true;
  expect(await stepFailureMessage(outputOf(opened, 'it__a'))).toMatch(
    /^The tool it__a of the MCP server "My server" failed: http:.* cannot be reached: /,
  );
  const changed = await listing([named('a')], ({ message, response }) =>
    result(response, message.id, toolText('Unknown tool: b', { isError: true })),
  );
  const before = await open([{ url: changed.url }]);
  expect(await stepFailureMessage(outputOf(before, 'it__a'))).toContain('MCP server "it" failed');
});

test('a time limit under 1,000 is in seconds', async () => {
  const { url } = await listing([named('a')], () => true);
  const { tools } = await open([{ url, timeout: 20 }]);
  expect(await tools[0]?.preview({}, signal)).toMatchObject({ timeoutMs: 20_000 });
  const short = await open([{ url, timeout: 1_200 }]);
  expect(await stepFailureMessage(called(short.tools[0], {}, signal))).toContain(
    'did not answer within 1200 ms',
  );
});

test('too many tools, too large schemas and invalid ones are left out with a warning', async () => {
  const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) });
  const draft = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' };
  const { url } = await listing([
    named('old', { inputSchema: draft }),
    named('huge', { inputSchema: { type: 'object', description: 'x'.repeat(70_000) } }),
    named('deep', { inputSchema: { type: 'object', ...deep(60) } }),
    named('n'.repeat(200)),
    named('wrong', { inputSchema: { type: 'object', properties: { a: { type: 'text' } } } }),
    ...Array.from({ length: 300 }, (_, n) => named(`t${n}`)),
  ]);
  const { tools, warnings } = await open([{ url, name: 'Big' }]);
  expect(tools).toHaveLength(199);
  expect(tools[0]).toMatchObject({ name: 'it__old', parameters: { type: 'object' } });
  expect(tools[0]?.parameters).not.toHaveProperty('$schema');
  expect(warnings).toEqual([
    'The MCP server "Big" has 105 more tools, which are too many or too large',
    expect.stringMatching(
      /^A tool of the MCP server "Big" is not available: the schema of wrong is not valid: /,
    ),
  ]);
});

test('a tool of a server of 2026-07-28 with an invalid x-mcp-header is left out with a warning', async () => {
  const demanding = (header: string) => ({
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': header } },
  });
  const sent: unknown[] = [];
  const { url, asked } = await modernServer(
    () => [
      named('good', { inputSchema: demanding('Region') }),
      named('bad', { inputSchema: demanding('Re gion') }),
    ],
    ({ message, request, response }) => {
      sent.push(request.headers['mcp-param-region']);
      return result(response, message.id, { resultType: 'complete', ...toolText('done') });
    },
  );
  const opened = await open([{ url }]);
  expect(opened.tools.map(({ name }) => name)).toEqual(['it__good']);
  expect(opened.warnings).toEqual([
    'The tool bad of the MCP server "it" is not available, because the server describes it wrongly: an x-mcp-header is not the name of a header',
  ]);
  expect((await open([{ url, allowedTools: ['good', 'bad'] }])).warnings).toEqual(opened.warnings);
  expect((await open([{ url, allowedTools: ['good'] }])).warnings).toEqual([]);
  const before = asked.length;
  expect(await outputOf(opened, 'it__good', { region: 'eu' })).toEqual({ output: 'done' });
  expect(sent).toEqual(['eu']);
  expect(asked.slice(before).map(({ method }) => method)).toEqual(['server/discover', 'tools/call']);
});

test('all pages of a list are read; of one that does not end, those before the 50th request', async () => {
  let pages = 0;
  const serve = (nextCursor: () => string | undefined) =>
    hostileServer(({ message, response }) => {
      if (message.method !== 'tools/list') return undefined;
      pages++;
      return result(response, message.id, { tools: [named(`p${pages}`)], nextCursor: nextCursor() });
    });
  const long = await serve(() => (pages < 40 ? `after ${pages}` : undefined));
  expect((await open([{ url: long.url }])).tools).toHaveLength(40);
  const circular = await serve(() => 'again');
  expect((await open([{ url: circular.url }])).tools).toHaveLength(2);
  const endless = await serve(() => `after ${pages}`);
  const opened = await open([{ url: endless.url }]);
  expect(opened.tools.length).toBeGreaterThan(40);
  expect(opened.warnings).toEqual([expect.stringContaining('causes more than 50 requests')]);
});

/** A server whose second page `answer` responds to; the first one has the tools `a` and `b`. */
const twoPages = (answer: (exchange: McpExchange) => unknown) =>
  hostileServer((exchange) => {
    const { message, response } = exchange;
    if (message.method !== 'tools/list') return undefined;
    const isFirst = !(message.params && 'cursor' in message.params);
    if (!isFirst) return answer(exchange);
    return result(response, message.id, { tools: [named('a'), named('b')], nextCursor: '2' });
  });

test.each<[string, (exchange: McpExchange) => unknown, string]>([
  [
    'a status',
    ({ response }) => response.writeHead(500).end('out of memory'),
    'The MCP server answered 500: out of memory',
  ],
  [
    'an error of the server',
    ({ message: { id }, response }) =>
      respondJson(response, { jsonrpc: '2.0', id, error: { code: -32_603, message: 'cursor expired' } }),
    'The MCP server answered with an error: cursor expired',
  ],
  [
    'no list',
    ({ message: { id }, response }) => result(response, id, { tools: 'none' }),
    'The MCP server does not follow the protocol',
  ],
  ['a connection that breaks', ({ response }) => response.destroy(), 'cannot be reached'],
  ['no answer', () => true, 'did not answer within 1000 ms'],
])('a second page with %s costs no tool of the first one', async (_what, answer, reason) => {
  const { url } = await twoPages(answer);
  const { tools, warnings } = await open([{ url, timeout: 1_000 }]);
  expect(tools.map(({ name }) => name)).toEqual(['it__a', 'it__b']);
  expect(warnings).toEqual([expect.stringContaining(reason)]);
  expect(warnings[0]).toMatch(
    /^Tools of the MCP server "it" are not available: only the first 2 of its list could be read, and the rest is missing: /,
  );
  expect((await open([{ url, timeout: 1_000, allowedTools: ['a', 'c'] }])).warnings).toEqual(warnings);
  expect((await open([{ url, timeout: 1_000, allowedTools: ['b'], required: true }])).warnings).toEqual([]);
  await expect(open([{ url, timeout: 1_000, required: true }])).rejects.toThrow(reason);
});

test('a server of 2026-07-28 keeps the pages that could be read, and the headers that it demands', async () => {
  const sent: unknown[] = [];
  const inputSchema = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
  };
  let lists = 0;
  const { url } = await modernServer(
    () => {
      lists++;
      return lists % 2 === 1 ? [named('a', { inputSchema })] : ('none' as never);
    },
    ({ message, request, response }) => {
      sent.push(request.headers['mcp-param-region']);
      return result(response, message.id, { resultType: 'complete', ...toolText('done') });
    },
    () => '2',
  );
  const opened = await open([{ url }]);
  expect(opened.warnings).toHaveLength(1);
  expect(await outputOf(opened, 'it__a', { region: 'eu' })).toEqual({ output: 'done' });
  expect(sent).toEqual(['eu']);
});

test('a second page that asks for authorization is a server that does', async () => {
  const { url } = await twoPages(({ response }) => response.writeHead(401).end());
  const { tools, warnings } = await open([{ url }]);
  expect(tools).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining('asks for authorization (401)')]);
});

test('a list without its last pages is not cached', async () => {
  let fails = true;
  const { url } = await twoPages(({ message: { id }, response }) =>
    fails ? response.writeHead(500).end() : result(response, id, { tools: [named('c')] }),
  );
  const ports = world();
  expect((await open([{ url }], ports)).tools).toHaveLength(2);
  fails = false;
  const whole = await open([{ url }], ports);
  expect([whole.tools.length, whole.warnings]).toEqual([3, []]);
  fails = true;
  expect(await open([{ url }], ports)).toMatchObject({ tools: { length: 3 }, warnings: [] });
});

test('descriptions and schemas together are bounded', async () => {
  const tools = Array.from({ length: 150 }, (_, n) => named(`t${n}`, { description: 'x'.repeat(10_000) }));
  const big = await listing(tools);
  const opened = await open([{ url: big.url }]);
  expect(opened.tools).toHaveLength(49);
  expect(opened.tools[0]?.description).toHaveLength(4_000);
});

test('a list is cached for a tenant, a URL and its credentials, and a failure is not', async () => {
  let fails = true;
  const { url, asked } = await hostileServer(({ message, response }) => {
    if (message.method !== 'tools/list') return undefined;
    return fails ? response.writeHead(500).end() : result(response, message.id, { tools: [named('a')] });
  });
  const lists = () => asked.filter(({ method }) => method === 'tools/list').length;
  const ports = world('cached');
  expect((await open([{ url }], ports)).warnings).toHaveLength(1);
  fails = false;
  await Promise.all([open([{ url }], ports), open([{ url }], ports)]);
  await open([{ id: 'other', url }], world('cached'));
  expect(lists()).toBe(2);
  await open([{ url }], world('another'));
  expect(lists()).toBe(3);
  await open([{ url, auth: { type: 'bearer', token: 'a' } }], ports);
  await open([{ url, auth: { type: 'bearer', token: 'b' } }], ports);
  expect(lists()).toBe(5);
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 301_000);
  await open([{ url }], ports);
  expect(lists()).toBe(6);
});

test('a caller that goes does not cancel the list of another', async () => {
  const release = Promise.withResolvers<void>();
  const { url } = await hostileServer(async ({ message, response }) => {
    if (message.method !== 'tools/list') return undefined;
    await release.promise;
    return result(response, message.id, { tools: [named('a')] });
  });
  const ports = world();
  const leaving = new AbortController();
  const gone = openMcpServers(ports, [{ id: 'it', url }], leaving.signal);
  const stays = open([{ url }], ports);
  leaving.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  release.resolve();
  expect((await stays).tools).toHaveLength(1);
});

test('REST: plain JSON endpoints, with the identity of a call', async () => {
  const weather = named('get weather', { annotations: { readOnlyHint: true } });
  const { url, asked } = await web(({ method, path }) => {
    if (method === 'GET' && path === '/api/tools?k=1')
      return jsonWebAnswer({ tools: [weather, named('text'), named('..')] });
    if (path === '/api/tools/get%20weather?k=1') return jsonWebAnswer({ celsius: 21 });
    if (path === '/api/tools/text?k=1') return { type: 'text/plain', body: 'plain words' };
    return undefined;
  });
  const { tools, warnings } = await open([{ url: `${url}/api/?k=1`, transport: 'rest' }]);
  expect(warnings).toEqual([]);
  const [third, first, second] = tools;
  expect(first).toMatchObject({ id: 'mcp:it:get weather', repeatable: true });
  expect(await called(first, { city: 'Oslo' }, signal, call('call_1'))).toEqual({ output: { celsius: 21 } });
  expect(asked.at(-1)).toMatchObject({
    method: 'POST',
    body: '{"city":"Oslo"}',
    headers: { 'idempotency-key': 'call_1', 'content-type': 'application/json' },
  });
  expect(await called(second, {}, signal)).toEqual({ output: 'plain words' });
  expect(asked.at(-1)?.headers).not.toHaveProperty('idempotency-key');
  expect(await stepFailureMessage(called(third, {}, signal))).toContain('cannot be named ..');
});

test.each<[string, Parameters<typeof jsonWebAnswer>[0], string]>([
  ['HTML', '<html>', 'The server did not answer with a list of tools'],
  ['another shape', { items: [] }, 'The server did not answer with a list of tools'],
  ['tools without names', { tools: [{ description: 'x' }] }, 'describes it wrongly: it has no name'],
])('REST: %s instead of a list', async (_what, answer, message) => {
  const { url } = await web(() => jsonWebAnswer(answer));
  const { warnings } = await open([{ url, transport: 'rest' }]);
  expect(warnings[0]).toContain(message);
});
