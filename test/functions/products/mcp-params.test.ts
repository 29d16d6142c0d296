import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { makePrompt, mcpSurface, postMcp } from '../../support/surfaces/mcp-surface.ts';
import { addCapability, addItem } from '../../support/surfaces/products.ts';

/** A surface that serves all methods. */
async function wholeSurface() {
  const world = await mcpSurface(undefined, { behavior: { resources: { recordTypes: ['city'] } } });
  const { tenant, productId, surface, path, flow } = world;
  const given = { capabilityName: 'Tell', flowId: flow.id };
  const { id: capabilityId } = await expectStatus(201, addCapability(tenant, productId, given));
  const item = await expectStatus(201, addItem(tenant, surface, { capabilityId }));
  await makePrompt(tenant, path, item);
  return world;
}

const ofModern = (method: string, params: Record<string, unknown>) => ({
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
    ...params,
  },
  headers: {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(/call|get|read/.test(method) && { 'mcp-name': String(params.name ?? params.uri ?? '') }),
  },
});

/** The parameters of each method that are not right, and the places of what is wrong. */
const wrong: Record<string, [params: Record<string, unknown>, ...places: string[]][]> = {
  initialize: [[{}, 'params.protocolVersion', 'params.capabilities', 'params.clientInfo']],
  'tools/list': [[{ cursor: 7 }, 'params.cursor']],
  'prompts/list': [[{ cursor: {} }, 'params.cursor']],
  'resources/list': [[{ cursor: 7 }, 'params.cursor']],
  'resources/templates/list': [[{ cursor: null }, 'params.cursor']],
  'tools/call': [
    [{}, 'params.name'],
    [{ name: 7, arguments: 'x' }, 'params.name', 'params.arguments'],
    [{ name: 'greet', arguments: [] }, 'params.arguments'],
  ],
  'prompts/get': [
    [{}, 'params.name'],
    [{ name: 'tell', arguments: { person: 7 } }, 'params.arguments.person'],
  ],
  'resources/read': [
    [{}, 'params.uri'],
    [{ uri: null }, 'params.uri'],
  ],
  'completion/complete': [
    [{}, 'params.ref', 'params.argument'],
    [{ ref: { type: 'other' }, argument: { name: 7, value: 'x' } }, 'params.ref', 'params.argument.name'],
  ],
};
const cases = Object.entries(wrong).flatMap(([method, given]) =>
  given.map(([params, ...places]) => ({ method, params, places })),
);

test.each(['2025-11-25', '2026-07-28'])(
  '%s: malformed parameters are errors of the caller that name them',
  async (version) => {
    const { path, key } = await wholeSurface();
    for (const { method, params, places } of cases) {
      if (version === '2026-07-28' && method === 'initialize') continue;
      const sent = version === '2026-07-28' ? ofModern(method, params) : { params, headers: {} };
      const message = { jsonrpc: '2.0', id: 1, method, params: sent.params };
      const { status, text } = await postMcp(key, path, message, sent.headers);
      const { id, error } = JSON.parse(text);
      expect([method, status, id, error.code]).toEqual([method, 200, 1, -32602]);
      expect(error.message.split('\n').map((line: string) => line.split(': ')[0])).toEqual(places);
    }
  },
);

test('missing parameters, and those that are no object, are errors of the caller for all methods', async () => {
  const { path, key } = await wholeSurface();
  const needing = ['initialize', 'tools/call', 'prompts/get', 'resources/read', 'completion/complete'];
  for (const method of needing) {
    const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method });
    expect(JSON.parse(text).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^params: /),
    });
  }
  for (const method of [...Object.keys(wrong), 'ping']) {
    for (const params of [null, [], 'x', 7]) {
      const { status, text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method, params });
      expect([status, JSON.parse(text).details[0].path]).toEqual([400, 'params']);
    }
  }
});

test('a method that is not served is unknown, whatever its parameters are', async () => {
  const { path, key } = await mcpSurface();
  const members = ['__proto__', 'constructor', 'toString'];
  for (const method of ['prompts/get', 'resources/read', 'completion/complete', 'no/such', ...members]) {
    const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method, params: {} });
    const data = text.replace(/^event: message\ndata: /, '');
    expect(JSON.parse(data).error.code).toBe(-32601);
  }
});

test.each<[method: string, params: Record<string, unknown>]>([
  ['initialize', {}],
  [
    'initialize',
    { protocolVersion: '2026-07-28', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  ],
  ['subscriptions/listen', { notifications: {} }],
  ['subscriptions/listen', { notifications: { toolsListChanged: true } }],
  ['resources/subscribe', { uri: 'record:city/Bern' }],
])('2026-07-28: %s with %j is unknown with 404, as there is no such method', async (method, given) => {
  const { path, key } = await wholeSurface();
  const { params, headers } = ofModern(method, given);
  const sent = [params, ...(method === 'initialize' ? [given] : [])];
  for (const params of sent) {
    const { status, text } = await postMcp(key, path, { jsonrpc: '2.0', id: 7, method, params }, headers);
    const error = { code: -32601, message: 'Method not found' };
    expect([status, JSON.parse(text)]).toEqual([404, { jsonrpc: '2.0', id: 7, error }]);
  }
});

test('cursors and names that are no well-formed Unicode are errors of the caller', async () => {
  const { path, key } = await wholeSurface();
  const cursorOf = (position: object) => Buffer.from(JSON.stringify(position)).toString('base64url');
  const half = '\ud800';
  const cursors = [half, cursorOf({ type: half }), cursorOf({ type: 'city', cursor: half })];
  const requests: [method: string, params: object][] = [
    ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].flatMap((method) =>
      cursors.map((cursor): [string, object] => [method, { cursor }]),
    ),
    ['tools/call', { name: half }],
    ['prompts/get', { name: half }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: half }, argument: { name: half, value: half } },
    ],
  ];
  for (const [method, params] of requests) {
    const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method, params });
    const { error } = JSON.parse(text.replace(/^event: message\ndata: /, ''));
    expect([method, params, error?.code]).toEqual([method, params, -32602]);
  }
});

test('an argument of a prompt that no variable can be named after is named', async () => {
  const { path, key } = await wholeSurface();
  const params = { name: 'tell', arguments: { person: 'Ada', constructor: 'x' } };
  const { text } = await postMcp(key, path, { jsonrpc: '2.0', id: 1, method: 'prompts/get', params });
  expect(JSON.parse(text.replace(/^event: message\ndata: /, '')).error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^constructor: This name is reserved/),
  });
});
