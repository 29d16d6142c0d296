import { expect, test } from 'vitest';
import { commentText, schemaTypeText } from '../../../../packages/client/generate/type-text.ts';

const text = (schema: object) => schemaTypeText(schema).replace(/\s+/g, ' ');

test.each([
  [{ type: 'string' }, 'string'],
  [{ type: 'string', format: 'binary' }, 'Blob'],
  [{ type: 'integer' }, 'number'],
  [{ type: 'null' }, 'null'],
  [{}, 'unknown'],
  [{ const: 'a"b' }, '"a\\"b"'],
  [{ enum: ['a', 1] }, '"a" | 1'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ $ref: '#/components/schemas/Flow' }, 'Flow'],
  [{ anyOf: [{ type: 'number' }, { type: 'integer' }] }, 'number'],
  [{ type: 'array', items: { oneOf: [{ type: 'string' }, { $ref: '#/x/A' }] } }, '(string | A)[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, '[string, number]'],
  [{ type: 'object', additionalProperties: false }, '{ [name: string]: never }'],
  [{ type: 'object', additionalProperties: {} }, '{ [name: string]: unknown }'],
  [
    { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] },
    '{ a: string; "b-c"?: unknown | undefined; }',
  ],
  [
    { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: { type: 'number' } },
    '{ a: unknown; } & { [name: string]: number }',
  ],
])('%j is %s', (schema, expected) => {
  expect(text(schema)).toBe(expected);
});

test('a description becomes a comment, which it cannot end', () => {
  expect(commentText('One */ two\nthree')).toBe('/** One *\\/ two\n * three */\n');
  expect(commentText(undefined)).toBe('');
});
