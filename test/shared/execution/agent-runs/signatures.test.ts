import { expect, test } from 'vitest';
import { toToolSignatures } from '../../../../shared/execution/agent-runs/run-code.ts';

const argsOf = (parameters: object) =>
  /look\(args: (.*)\): Promise<any>;/.exec(
    toToolSignatures([{ name: 'look', description: 'x', parameters: { ...parameters } }]),
  )?.[1];

test.each([
  [{ type: 'object' }, 'Record<string, unknown>'],
  [
    { properties: { a: { type: 'string' }, 'b-c': { type: ['number', 'null'] } }, required: ['a'] },
    '{ a: string; "b-c"?: number | null }',
  ],
  [{ properties: { a: { enum: ['x', 2, null] }, b: { const: 'y' } } }, '{ a?: "x" | 2 | null; b?: "y" }'],
  [
    { properties: { a: { type: 'array', items: { type: 'boolean' } }, b: { type: 'array' } } },
    '{ a?: Array<boolean>; b?: Array<unknown> }',
  ],
  [
    {
      properties: {
        a: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        b: { oneOf: [{ type: 'string' }] },
      },
    },
    '{ a?: string | number; b?: string }',
  ],
  [
    { properties: { a: { type: 'string', description: 'The */ name\nof it' } } },
    '{ /** The * / name of it */ a?: string }',
  ],
  [{ properties: { a: { $ref: '#/$defs/a' }, b: true } }, '{ a?: unknown; b?: unknown }'],
])('%j is %s', (schema, type) => {
  expect(argsOf(schema)).toBe(type);
});

test('deep and large schemas end', () => {
  let deep: object = { type: 'string' };
  for (let level = 0; level < 100; level++) deep = { type: 'array', items: deep };
  expect(argsOf({ properties: { deep } })).toMatch(/^\{ deep\?: (Array<)+unknown>+ \}$/);
  const properties = Object.fromEntries(
    Array.from({ length: 500 }, (_, n) => [`member${n}`, { type: 'string' }]),
  );
  expect(argsOf({ properties })).toBe('Record<string, unknown>');
});
