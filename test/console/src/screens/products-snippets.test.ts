import { expect, test } from 'vitest';
import { exampleBody, programs } from '../../../../console/src/screens/products/requests/snippet-texts.ts';
import { toolNameIn } from '../../../../console/src/screens/products/requests/surface-call.ts';

test('makes an example of what a schema requires, from what it says of each member', () => {
  const properties = {
    code: { type: 'string', examples: ['NBO'] },
    size: { enum: ['small', 'large'] },
    count: { type: 'integer', minimum: 5 },
    on: { type: ['boolean', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    place: { type: 'object', properties: { city: { default: 'Hilo' } } },
    at: { type: 'string', format: 'date' },
    other: {},
  };
  expect(exampleBody({ properties })).toEqual({
    code: 'NBO',
    size: 'small',
    count: 5,
    on: true,
    tags: ['text'],
    place: { city: 'Hilo' },
    at: '2026-01-31',
    other: 'text',
  });
  expect(exampleBody({ properties, required: ['code'] })).toEqual({ code: 'NBO' });
});

test('makes an example of schemas that somebody else wrote, whatever they are', () => {
  const circle: { properties: object } = { properties: {} };
  circle.properties = { inner: circle };
  for (const schema of [
    null,
    undefined,
    5,
    {},
    { properties: [] },
    circle,
    { properties: { a: null, b: 5 } },
  ])
    expect(exampleBody(schema)).toBeTypeOf('object');
});

test('writes Python that has its own words for JSON', () => {
  const body = { a: true, b: null, c: [1, 'x'], d: {} };
  const text = programs.Python({ url: 'http://localhost/x', headers: {}, body }, 'secret');
  expect(text).toContain('"a": True');
  expect(text).toContain('"b": None');
  expect(text).toContain('"Bearer secret"');
});

test('an item is a tool by its own name, unless that is the slug of another', () => {
  const item = { id: 'item_1', endpointSlug: 'greet', exposedName: 'hello' };
  expect(toolNameIn([item], item)).toBe('hello');
  expect(toolNameIn([item, { id: 'item_2', endpointSlug: 'hello', exposedName: null }], item)).toBe('greet');
  expect(toolNameIn([item], { ...item, exposedName: 'with a space' })).toBe('greet');
});
