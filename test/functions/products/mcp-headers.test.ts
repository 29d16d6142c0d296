import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { list, mcpSurface, postMcp } from '../../support/surfaces/mcp-surface.ts';

/** A surface whose tool wants an argument in a header too. */
async function withHeader() {
  const { tenant, productId, capability, key, path } = await mcpSurface();
  const properties = { person: { type: 'string', 'x-mcp-header': 'Person' }, times: { type: 'integer' } };
  const body = { parametersSchema: { type: 'object', properties } };
  await expectStatus(
    200,
    tenant.call('PUT', `/v1/products/${productId}/capabilities/${capability.id}`, { body }),
  );
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const call = {
    ...list,
    method: 'tools/call',
    params: { name: 'greet', arguments: { person: 'Zoë' }, _meta },
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'greet' };
  return { key, path, call, headers };
}

const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

test.each<[string, Record<string, string>]>([
  ['none', {}],
  ['another', { 'mcp-param-person': 'Ada' }],
  ['another, encoded', { 'mcp-param-person': encoded('Ada') }],
  ['one that is no Base64', { 'mcp-param-person': '=?base64?!!?=' }],
])('an argument that its schema wants in a header is refused with %s', async (_, sent) => {
  const { key, path, call, headers } = await withHeader();
  const { status, text } = await postMcp(key, path, call, { ...headers, ...sent });
  expect([status, JSON.parse(text).error.code]).toEqual([400, -32_020]);
});

test('an argument that its schema wants in a header arrives with the same header', async () => {
  const { key, path, call, headers } = await withHeader();
  const { status, text } = await postMcp(key, path, call, { ...headers, 'mcp-param-person': encoded('Zoë') });
  expect([status, text]).toEqual([200, expect.stringContaining('Hello Zoë')]);
});

test('before 2026-07-28 there are no such headers', async () => {
  const { key, path, call } = await withHeader();
  const { name, arguments: given } = call.params;
  const { text } = await postMcp(key, path, { ...call, params: { name, arguments: given } });
  expect(text).toContain('Hello Zoë');
});
