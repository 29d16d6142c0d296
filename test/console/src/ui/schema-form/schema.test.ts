import { expect, test } from 'vitest';
import { bodySchema, stepSchemas } from '../../../../../console/plugins/api-document.ts';
import { editedOperations } from '../../../../../console/src/api/edited-operations.ts';
import {
  initialValue,
  schemaField,
  variantIndex,
  variantLabel,
} from '../../../../../console/src/ui/schema-form/fields.ts';
import { toLabel } from '../../../../../console/src/ui/schema-form/labels.ts';
import { type JsonSchema, resolved } from '../../../../../console/src/ui/values/schema.ts';

const root: JsonSchema = {
  $defs: { Point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
};

test.each([
  ['a text', { type: 'string' }, { kind: 'text', isLong: false, isSecret: false }],
  ['a secret', { type: 'string', format: 'password' }, { kind: 'text', isLong: false, isSecret: true }],
  ['a long text', { type: 'string', maxLength: 100_000 }, { kind: 'text', isLong: true, isSecret: false }],
  ['a number that may be null', { type: ['integer', 'null'] }, { kind: 'number', isWhole: true }],
  [
    'a choice of constants',
    { anyOf: [{ const: 'a' }, { const: 'b' }] },
    { kind: 'choice', values: ['a', 'b'] },
  ],
  ['an open map', { type: 'object', additionalProperties: {} }, { kind: 'json' }],
])('%s', (_, schema, field) => {
  expect(schemaField(schema as JsonSchema, root)).toEqual(field);
});

test('an object that may be null, by a reference, has the fields of the object', () => {
  const schema = { anyOf: [{ $ref: '#/$defs/Point' }, { type: 'null' }] };
  expect(schemaField(schema, root)).toMatchObject({ kind: 'object', schema: { required: ['x'] } });
});

test('a value is of the variant whose constants it has, else of its type', () => {
  const variants: JsonSchema[] = [
    { type: 'boolean' },
    { type: 'object', properties: { type: { const: 'image' } } },
    { type: 'object', properties: { type: { const: 'file' } } },
  ];
  expect(variantIndex({ type: 'file' }, variants)).toBe(2);
  expect(variantIndex(true, variants)).toBe(0);
  expect(variants.map(variantLabel)).toEqual(['Yes or no', 'Image', 'File']);
});

test.each([
  ['recordConcurrency', 'Record concurrency'],
  ['apiKey', 'API key'],
  ['toolIds', 'Tool IDs'],
  ['HTTPMethod', 'HTTP method'],
])('%s is shown as %s', (name, label) => {
  expect(toLabel(name)).toBe(label);
});

test('each body that the console edits, and each step, has a form to begin with', () => {
  const schemas = [
    ...editedOperations.map(bodySchema),
    ...Object.values(stepSchemas().$defs as Record<string, JsonSchema>),
  ];
  for (const schema of schemas as JsonSchema[]) {
    const whole = {
      ...schema,
      $defs: stepSchemas().$defs as Record<string, JsonSchema>,
      ...(schema.$defs && { $defs: schema.$defs }),
    };
    if (resolved(whole, whole).type !== 'object' || !whole.properties) continue;
    expect(initialValue(whole, whole)).toBeTypeOf('object');
    for (const member of Object.values(whole.properties)) {
      expect(schemaField(resolved(member, whole), whole).kind).toBeTypeOf('string');
    }
  }
  expect(schemas.length).toBeGreaterThan(50);
});

test('the form of a prompt has lists of its own tools and of MCP servers, member by member', () => {
  const $defs = stepSchemas().$defs as Record<string, JsonSchema>;
  const whole = { $defs };
  const member = (schema: JsonSchema | undefined, ...path: string[]): JsonSchema =>
    path.reduce((at, name) => {
      const inside = resolved(at, whole);
      return resolved((name === '[]' ? inside.items : inside.properties?.[name]) ?? {}, whole);
    }, schema ?? {});
  const tools = member($defs.PromptStep, 'config', 'tools');
  const kindOf = (...path: string[]) => schemaField(member(tools, ...path), whole).kind;
  expect([kindOf('runtimeTools'), kindOf('runtimeTools', '[]')]).toEqual(['list', 'object']);
  expect([kindOf('mcpServers'), kindOf('mcpServers', '[]')]).toEqual(['list', 'object']);
  expect(schemaField(member(tools, 'runtimeTools', '[]', 'toolType'), whole)).toEqual({
    kind: 'choice',
    values: ['flow', 'custom', 'external', 'advisor', 'subagent', 'search'],
  });
  expect(kindOf('mcpServers', '[]', 'allowedTools')).toBe('list');
  expect(kindOf('mcpServers', '[]', 'auth', 'token')).toBe('text');
  for (const name of ['config', 'parametersSchema']) expect(kindOf('runtimeTools', '[]', name)).toBe('json');
  expect(initialValue(member(tools, 'runtimeTools', '[]'), whole)).toMatchObject({ toolType: 'flow' });
});
