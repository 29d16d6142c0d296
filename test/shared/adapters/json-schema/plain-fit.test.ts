import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { certainlyFits, checkValue } from '../../../../shared/adapters/json-schema/json-schema.ts';
import type { JsonSchema } from '../../../../shared/adapters/ports/model-port.ts';
import { numRuns } from '../../../support/suite/slow.ts';

const scalar = fc.constantFrom('', 'a', 'ab', '🦉', 0, 1, 1.5, -2, true, null);
const names = fc.constantFrom('a', 'b', '__proto__', 'toString');
const bound = fc.integer({ min: -1, max: 3 });
const types = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object');
const { schema: anySchema, value: anyValue } = fc.letrec<{ schema: JsonSchema; value: unknown }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.record(
      {
        type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1 })),
        minimum: bound,
        maximum: bound,
        multipleOf: fc.constantFrom(1, 2, 0.5),
        minLength: fc.nat(3),
        maxLength: fc.nat(3),
        title: fc.string(),
        enum: fc.uniqueArray(scalar, { minLength: 1 }),
        const: scalar,
      },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        properties: fc.dictionary(names, tie('schema')),
        required: fc.uniqueArray(names),
        additionalProperties: fc.boolean(),
        items: tie('schema'),
      },
      { requiredKeys: [] },
    ),
  ) as fc.Arbitrary<JsonSchema>,
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.dictionary(names, tie('value')), fc.array(tie('value'))),
}));

test('what certainly fits is valid by Ajv, and what Ajv refuses never fits', () => {
  // One for all: each compiles the schema of schemas anew.
  const ajv = new Ajv2020({ strict: false, logger: false, ownProperties: true });
  const runs = numRuns(3_000);
  let fitting = 0;
  fc.assert(
    fc.property(anySchema, anyValue, (schema, given) => {
      if (!certainlyFits(schema, given)) return;
      fitting++;
      expect(ajv.validate(schema, given), JSON.stringify({ schema, given })).toBe(true);
    }),
    { numRuns: runs },
  );
  // About one of nine.
  expect(fitting).toBeGreaterThan(runs / 20);
});

test('parameters of tools and flows are checked without a thread', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', description: 'A city' }, days: { type: 'integer', minimum: 1 } },
    required: ['city'],
    additionalProperties: false,
  };
  const noThread = async () => {
    throw new Error('A thread was asked');
  };
  expect(await checkValue(noThread, schema, { city: 'Oslo', days: 3 })).toEqual([]);
});

test.each<[string, JsonSchema, unknown]>([
  ['another keyword', { type: 'string', pattern: '^a' }, 'a'],
  ['a reference', { $ref: '#' }, 1],
  ['a long list', { items: { type: 'integer' } }, Array(1_001).fill(1)],
  ['a name of Object.prototype', { constructor: 1 }, {}],
])('%s is left to the sandbox', (_what, schema, value) => {
  expect(certainlyFits(schema, value)).toBe(false);
});
