import { expect, test } from 'vitest';
import { toToolList } from '../../../../shared/adapters/mcp-client/session-tools.ts';

const good = { name: 'good', inputSchema: { type: 'object', properties: { id: { type: 'string' } } } };

test.each([
  ['no schema', {}, { type: 'object' }],
  ['inputSchema: null', { inputSchema: null }, { type: 'object' }],
  ['a schema without a type', { inputSchema: { properties: {} } }, { type: 'object', properties: {} }],
  ['required: null', { inputSchema: { type: 'object', required: null } }, { type: 'object' }],
  ['description: null', { description: null }, { type: 'object' }],
  ['a description that is a list', { description: ['a'] }, { type: 'object' }],
  ['annotations: null', { annotations: null }, { type: 'object' }],
  ['annotations that are a text', { annotations: 'read only' }, { type: 'object' }],
  ['outputSchema: null', { outputSchema: null }, { type: 'object' }],
  [
    'another draft',
    { inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#' } },
    { type: 'object' },
  ],
  [
    'first items of a list, as earlier drafts write them',
    { inputSchema: { properties: { at: { items: [{ type: 'number' }], additionalItems: false } } } },
    { type: 'object', properties: { at: { prefixItems: [{ type: 'number' }], items: false } } },
  ],
])('a tool with %s is used, and the one beside it', (_name, odd, parameters) => {
  const { tools, omitted, invalid } = toToolList([good, { name: 'odd', ...odd }]);
  expect(tools.map(({ name }) => name)).toEqual(['good', 'odd']);
  expect(tools[1]).toMatchObject({ parameters, repeatable: false });
  expect(tools[1]?.parameters).toEqual(parameters);
  expect([omitted, invalid]).toEqual([0, []]);
});

test.each([
  ['null', null, '(no name)'],
  ['a text', 'tool', '(no name)'],
  ['no name', { inputSchema: {} }, '(no name)'],
  ['a number as its name', { name: 7 }, '(no name)'],
  ['a list as its schema', { name: 'odd', inputSchema: [] }, 'odd'],
])('%s is named as no tool, and costs no other', (_name, odd, name) => {
  const { tools, invalid } = toToolList([odd, good]);
  expect(tools.map((tool) => tool.name)).toEqual(['good']);
  expect(invalid).toEqual([{ name, problem: expect.any(String) }]);
});

test('a tool whose schema is too deep is omitted, and costs no other', () => {
  let inputSchema: Record<string, unknown> = {};
  for (let level = 0; level < 100_000; level++) inputSchema = { not: inputSchema };
  const { tools, omitted } = toToolList([{ name: 'deep', inputSchema }, good]);
  expect([tools.map(({ name }) => name), omitted]).toEqual([['good'], 1]);
});
