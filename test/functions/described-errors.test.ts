import { expect, test } from 'vitest';
import { serveApiMcp } from '../../functions/api-mcp/serve.ts';
import { createFlow } from '../../functions/flows/create.ts';
import { listFlows } from '../../functions/flows/list.ts';
import { serveMcp } from '../../functions/surface-mcp/serve.ts';
import { whyNotDescribed } from '../support/stack/described.ts';
import { newTenant, stack } from '../support/stack/stack.ts';
import { list, mcpSurface, postMcp } from '../support/surfaces/mcp-surface.ts';

const modern = (method: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const newest = (method: string) => ({ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method });

/** Each with its status at the API's own server, and whether the library of the protocol gives it. */
const refused: [string, unknown, Record<string, string>, number, boolean][] = [
  ['no accepted stream', list, { accept: 'application/json' }, 406, true],
  ['no accepted media type', list, { accept: 'text/html' }, 406, true],
  ['an unknown protocol', list, { 'mcp-protocol-version': '1999-01-01' }, 400, true],
  ['a header that says another method', modern('tools/list'), newest('tools/call'), 400, true],
  ['an unknown method of the newest protocol', modern('nothing'), newest('nothing'), 404, true],
  ['subscriptions', modern('subscriptions/listen'), newest('subscriptions/listen'), 404, true],
  ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'nothing' }, {}, 200, true],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, {}, 202, false],
  ['a batch', [list], {}, 400, false],
  ['no JSON', '{', {}, 400, false],
  ['nothing', undefined, {}, 400, false],
  ['another media type', 'a=1', { 'content-type': 'text/plain' }, 415, false],
  ['a page of another origin', list, { origin: 'https://evil.example' }, 403, false],
  ['long headers', list, { 'x-long': 'x'.repeat(10_300) }, 431, false],
];

test.each(refused)(
  'MCP, %s: the document of the API describes the response',
  async (_, message, headers, status, ofProtocol) => {
    const { path, key, tenant } = await mcpSurface();
    for (const [endpoint, credential, base] of [
      [serveApiMcp, tenant.token, '/v1'],
      [serveMcp, key, path],
    ] as const) {
      const answer = await postMcp(credential, base, message, headers);
      expect([endpoint.id, answer.status, answer.text]).toEqual([endpoint.id, status, expect.anything()]);
      expect(whyNotDescribed(endpoint, answer), endpoint.id).toBeUndefined();
      if (ofProtocol) expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: '2.0', error: {} });
    }
  },
);

test('the document describes that a surface does not exist, in the form of the service', async () => {
  const { token } = await newTenant();
  const nowhere =
    '/v1/products/product_01k9m4v7d3x8qz5w2r6t0y1hbn/surfaces/surface_01k9m4v7d3x8qz5w2r6t0y1hbn';
  const answer = await postMcp(token, nowhere, list);
  expect([answer.status, whyNotDescribed(serveMcp, answer)]).toEqual([404, undefined]);
});

test.each([listFlows, createFlow])(
  '$id with long headers: the response is described, and says what to do',
  async (endpoint) => {
    const { token } = await newTenant();
    const response = await fetch(stack().url + endpoint.path, {
      method: endpoint.method,
      headers: { authorization: `Bearer ${token}`, 'x-long': 'x'.repeat(10_300) },
    });
    const answer = { status: response.status, headers: response.headers, text: await response.text() };
    expect([answer.status, whyNotDescribed(endpoint, answer)]).toEqual([431, undefined]);
    expect(JSON.parse(answer.text).details[0].message).toContain('10240 bytes');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  },
);
