import { expect, test } from 'vitest';
import { mcpPort } from '../../../../../shared/adapters/mcp-client/mcp-adapter.ts';
import { modernServer, respondJson, result } from '../../../../support/servers/hostile-mcp-server.ts';
import { mcpServer } from '../../../../support/servers/mcp.ts';
import type { McpServerKind } from '../../../../support/servers/mcp-server.ts';
import { previewTool, runTool, stepFailureMessage } from '../run-tool.ts';

const run = (url: string, toolName: string, args: object = {}, config: object = {}) =>
  runTool({ toolType: 'mcp', config: { url, toolName, ...config } }, args, { mcp: mcpPort('t') });

const kinds = [
  { kind: 'modern', answers: 'json' },
  { kind: 'modern', answers: 'sse' },
  { kind: 'stateless', answers: 'json' },
  { kind: 'stateless', answers: 'sse', protocolVersions: ['2025-06-18'] },
  { kind: 'session', answers: 'json', protocolVersions: ['2025-06-18'] },
  { kind: 'session', answers: 'sse', protocolVersions: ['2025-11-25'] },
] satisfies McpServerKind[];

test.each<McpServerKind>(kinds)('calls a tool of a server: %j', async (kind) => {
  const { url } = await mcpServer(kind);
  expect(await run(url, 'greet', { name: 'Ada' })).toBe('Hello, Ada!');
  expect(await run(url, 'multi-greet', { name: 'Ada' })).toBe('Good morning, Ada!');
  expect(await run(url, 'get_weather', { city: 'Oslo' })).toEqual({ celsius: 21.5, city: 'Oslo' });
  expect(await stepFailureMessage(run(url, 'fail'))).toBe(
    'The tool The_tool failed: The MCP server answered with an error: The disk is full',
  );
  expect(await stepFailureMessage(run(url, 'nothing'))).toContain(
    'The MCP server has no tool nothing. It has greet, multi-greet, get_weather, fail, picture, in-region, ask-first',
  );
});

test.each<[McpServerKind, string[]]>([
  [
    { kind: 'modern' },
    ['POST server/discover', 'POST server/discover', 'POST tools/list', 'POST tools/call'],
  ],
  [
    { kind: 'stateless' },
    ['POST server/discover', 'POST initialize', 'POST notifications/initialized', 'POST tools/call'],
  ],
  [
    { kind: 'session' },
    [
      'POST server/discover',
      'POST initialize',
      'POST notifications/initialized',
      'POST tools/call',
      'DELETE',
    ],
  ],
])('the requests of a call: %j', async (kind, requests) => {
  const { url, asked } = await mcpServer(kind);
  await run(url, 'greet', { name: 'Ada' });
  expect(asked).toEqual(requests);
});

test('contents other than text become a list of parts', async () => {
  const { url } = await mcpServer({ kind: 'modern' });
  expect(await run(url, 'picture')).toEqual([
    { type: 'text', text: 'Here' },
    { type: 'image', mimeType: 'image/png', data: 'aGk=' },
    { type: 'resource', uri: 'file:///a.txt', mimeType: 'text/plain', text: 'words' },
    { type: 'resource', uri: 'file:///a.bin', data: 'aGk=' },
    { type: 'resource_link', uri: 'file:///b.txt', name: 'b' },
  ]);
});

const toolWith = (name: string, properties: object, more: object = {}) => ({
  name,
  inputSchema: { type: 'object', properties, ...more },
});
const inRegion = (header: unknown, type: unknown = 'string') => ({
  region: { type, 'x-mcp-header': header },
});

test('arguments that the server wants in headers too are sent there with the first call', async () => {
  const { url, asked, seen } = await mcpServer({ kind: 'modern' });
  expect(await run(url, 'in-region', { region: 'eu' })).toBe('in eu');
  expect(asked).toEqual(
    ['server/discover', 'server/discover', 'tools/list', 'tools/call'].map((m) => `POST ${m}`),
  );
  expect(seen.at(-1)?.headers.get('mcp-param-region')).toBe('eu');
  expect(await run(url, 'in-region', { region: 'Zürich' })).toBe('in Zürich');
  expect(asked.slice(4)).toEqual(['server/discover', 'tools/call'].map((m) => `POST ${m}`));
  expect(seen.at(-1)?.headers.get('mcp-param-region')).toBe('=?base64?WsO8cmljaA==?=');
});

test('a header that the server began to want is sent in a second try', async () => {
  let header = 'Region';
  const sent: unknown[] = [];
  const { url } = await modernServer(
    () => [toolWith('it', inRegion(header))],
    ({ message: { id }, request, response }) => {
      const value = request.headers[`mcp-param-${header.toLowerCase()}`];
      sent.push(value);
      if (value === 'eu') {
        return result(response, id, { resultType: 'complete', content: [{ type: 'text', text: 'done' }] });
      }
      return respondJson(
        response,
        { jsonrpc: '2.0', id, error: { code: -32_020, message: 'no header' } },
        400,
      );
    },
  );
  expect(await run(url, 'it', { region: 'eu' })).toBe('done');
  header = 'Area';
  expect(await run(url, 'it', { region: 'eu' })).toBe('done');
  expect(sent).toEqual(['eu', undefined, 'eu']);
});

test.each<[string, object]>([
  ['is not the name of a header', toolWith('it', inRegion(''))],
  ['is not the name of a header', toolWith('it', inRegion(7))],
  ['is not the name of a header', toolWith('it', inRegion('A B'))],
  ['is not the name of a header', toolWith('it', inRegion('A\r\nB'))],
  ['whose type is not "string", "integer" or "boolean"', toolWith('it', inRegion('A', 'number'))],
  ['whose type is not "string", "integer" or "boolean"', toolWith('it', inRegion('A', 'object'))],
  [
    'two properties have the same',
    toolWith('it', { ...inRegion('A'), b: { type: 'string', 'x-mcp-header': 'a' } }),
  ],
  ['that is no property', toolWith('it', {}, { 'x-mcp-header': 'A' })],
  ['that is no property', toolWith('it', { a: { type: 'array', items: { 'x-mcp-header': 'A' } } })],
  ['that is no property', toolWith('it', {}, { anyOf: [{ properties: inRegion('A') }] })],
])('a tool is not called when an x-mcp-header %s: %j', async (problem, tool) => {
  const { url, asked } = await modernServer(
    () => [tool],
    () => undefined,
  );
  const message = await stepFailureMessage(run(url, 'it', { region: 'eu' }));
  expect(message).toContain('describes the tool it wrongly, so it is not called');
  expect(message).toContain(problem);
  expect(asked.map(({ method }) => method)).not.toContain('tools/call');
});

test('the tool offers no input of its caller', async () => {
  const { url } = await mcpServer({ kind: 'modern' });
  expect(await stepFailureMessage(run(url, 'ask-first'))).toContain(
    'capabilities do not declare the required capability',
  );
});

test('headers and authentication are sent with each request', async () => {
  const { url, seen } = await mcpServer({ kind: 'session' });
  const secrets = async () => new Map([['KEY', { value: 'the-secret-value', version: '1' }]]);
  const config = {
    headers: { 'X-Name': '{{ name }}' },
    auth: { type: 'bearer', token: '{{secret:KEY}}' },
  };
  const tool = { toolType: 'mcp', config: { url: `${url}?n={{ name }}`, toolName: 'greet', ...config } };
  expect(await runTool(tool, { name: 'A&B' }, { mcp: mcpPort('t'), secrets })).toBe('Hello, A&B!');
  const sent = seen.map(({ url: to, headers }) => [
    new URL(to).search,
    headers.get('x-name'),
    headers.get('authorization'),
    headers.get('user-agent'),
  ]);
  expect(sent).toHaveLength(5);
  expect(new Set(sent.map(String))).toEqual(
    new Set(['?n=A%26B,A&B,Bearer the-secret-value,agent-flow-service']),
  );
  expect(await previewTool(tool, { name: 'A&B' }, { secrets })).toEqual({
    url: `${url}?n=A%26B`,
    headers: { 'x-name': 'A&B', authorization: 'Bearer ********' },
    tool: 'greet',
    arguments: { name: 'A&B' },
    timeoutMs: 30_000,
  });
});
