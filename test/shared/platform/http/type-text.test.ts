import { expect, test } from 'vitest';
import * as z from 'zod';
import { renderType } from '../../../../shared/platform/http/openapi-schemas.ts';

test.each([
  [z.string(), 'string'],
  [z.unknown(), 'any'],
  [z.literal('a'), '"a"'],
  [z.enum(['a', 'b']), '"a" | "b"'],
  [z.int().nullable(), 'integer | null'],
  [z.array(z.union([z.string(), z.number()])), '(string | number)[]'],
  [z.record(z.string(), z.boolean()), 'map of boolean'],
  [z.object({}), 'object'],
  [
    z.object({ a: z.string(), b: z.array(z.object({ c: z.number().optional() })) }),
    '{ a: string; b: { c?: number }[] }',
  ],
])('a schema is rendered as a type: %#', (schema, text) => {
  expect(renderType(z.toJSONSchema(schema) as object)).toBe(text);
});
