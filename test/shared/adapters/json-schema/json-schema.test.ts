import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { checkValue, schemaProblems } from '../../../../shared/adapters/json-schema/json-schema.ts';
import { validateSchema, validateValue } from '../../../../shared/adapters/json-schema/validator.ts';
import type { JsonSchema } from '../../../../shared/adapters/ports/model-port.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';

const check = (schema: JsonSchema, value: unknown) => checkValue(testSandbox, schema, value);
const problemsOf = (schema: JsonSchema) => schemaProblems(testSandbox, schema);

const person: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1 },
    age: { type: 'integer' },
    mail: { type: 'string', format: 'email' },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
  },
  required: ['name'],
  additionalProperties: false,
};

test('a value that fits has no problems; one that does not has each with its path', async () => {
  expect(await check(person, { name: 'Ada', age: 36, mail: 'ada@example.com', tags: ['a'] })).toEqual([]);
  expect(await check(person, { age: '36', mail: 'ada', tags: ['a', 'c'], extra: 1 })).toEqual(
    expect.arrayContaining([
      { path: 'name', message: 'Required' },
      { path: 'age', message: 'Expected integer' },
      { path: 'mail', message: 'Must match format "email"' },
      { path: 'tags.1', message: 'Expected one of ["a","b"]' },
      { path: 'extra', message: 'The schema has no such member' },
    ]),
  );
});

test('a schema without problems is checked in a thread once, one with problems each time', async () => {
  const counted = vi.fn(testSandbox);
  const problems = (schema: JsonSchema) => schemaProblems(counted as typeof testSandbox, schema);
  const good = { type: 'object', title: 'checked once' };
  expect([await problems(good), await problems({ ...good })]).toEqual([[], []]);
  expect(counted).toHaveBeenCalledTimes(1);
  const bad = { type: 'text', title: 'checked again' };
  expect(await problems(bad)).toEqual(await problems(bad));
  expect(counted).toHaveBeenCalledTimes(3);
});

test('nothing is coerced, and no default is filled in', async () => {
  const value = { n: '5' };
  const schema = {
    type: 'object',
    properties: { n: { type: 'integer' }, m: { default: 1 } },
    required: ['m'],
  };
  expect(await check(schema, value)).toEqual([
    { path: 'm', message: 'Required' },
    { path: 'n', message: 'Expected integer' },
  ]);
  expect(value).toEqual({ n: '5' });
});

test.each<[string, JsonSchema, string, string]>([
  [
    'an unknown type',
    { type: 'object', properties: { a: { type: 'text' } } },
    'properties.a.type',
    'Expected one of',
  ],
  ['a pattern that is no regular expression', { pattern: '(' }, 'pattern', 'Unterminated group'],
  [
    'a reference to another document',
    { $ref: 'https://example.com/schema' },
    '$ref',
    'inside of the document',
  ],
  [
    'a reference to the meta-schema',
    { properties: { a: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } },
    'properties.a.$ref',
    'inside of the document',
  ],
  [
    'a dynamic reference to another document',
    { $dynamicRef: 'other#x' },
    '$dynamicRef',
    'inside of the document',
  ],
  ['a reference to nothing', { $ref: '#/$defs/none' }, '', "can't resolve reference"],
  ['an asynchronous schema', { $async: true }, '$async', 'not supported'],
  ['another draft', { $schema: 'http://json-schema.org/draft-07/schema#' }, '$schema', '2020-12'],
  ['too many characters', { description: 'x'.repeat(70_000) }, '', 'at most 65536 characters'],
  ['too many levels', JSON.parse(`${'{"not":'.repeat(60)}{}${'}'.repeat(60)}`), '', 'at most 40 levels'],
  ['too many schemas', { anyOf: Array.from({ length: 501 }, () => ({})) }, '', 'at most 500 schemas'],
])('a schema with %s is refused with its path', async (_name, schema, path, message) => {
  expect(await problemsOf(schema)).toContainEqual({ path, message: expect.stringContaining(message) });
});

test('a valid schema has no problems; words of it that look like keywords are values', async () => {
  expect(await problemsOf(person)).toEqual([]);
  expect(
    await problemsOf({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: { $ref: { type: 'string' }, $async: { const: { $ref: 'x' } }, self: { $ref: '#' } },
      unknownKeyword: { $ref: 'other' },
    }),
  ).toEqual([]);
});

test('the schemas of two tenants with one $id do not meet', async () => {
  const first = { $id: 'https://example.com/one', type: 'string' };
  const second = { $id: 'https://example.com/one', type: 'number' };
  expect([await check(first, 'x'), await check(second, 1)]).toEqual([[], []]);
  expect(await check(second, 'x')).toHaveLength(1);
});

const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [
    `a${n}`,
    n === 39 ? { type: 'object' } : { allOf: [{ $ref: `#/$defs/a${n + 1}` }, { $ref: `#/$defs/a${n + 1}` }] },
  ]),
);

const branching = Object.fromEntries(
  Array.from({ length: 30 }, (_, level) => {
    const next = { $ref: `#/$defs/b${level + 1}` };
    return [`b${level}`, { anyOf: [next, next], unevaluatedProperties: false }];
  }),
);
Object.assign(branching, { b30: { properties: { x: true } } });
const hostile: [string, JsonSchema, unknown][] = [
  ['a catastrophic pattern', { type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(50)}!`],
  [
    'a catastrophic pattern of names',
    { patternProperties: { '^(a|a)*$': {} } },
    { [`${'a'.repeat(50)}!`]: 1 },
  ],
  ['references that double at each step', { $defs: doubling, $ref: '#/$defs/a0' }, {}],
  ['a reference to itself', { $ref: '#' }, {}],
  ['branches that each level judges anew', { $defs: branching, $ref: '#/$defs/b0' }, { x: 1 }],
];

test('unique items of many objects are compared in linear time', async () => {
  const many = Array.from({ length: 30_000 }, (_, n) => ({ n }));
  expect(await check({ uniqueItems: true }, many)).toEqual([]);
});

test.each(hostile)('%s ends by its limit of CPU time, and accepts nothing', async (_name, schema, value) => {
  // Warm: what remains is the check itself.
  validateSchema({ type: 'string' });
  const [problem] = validateValue({ schema: JSON.stringify(schema), value });
  expect(problem?.message).toMatch(/takes more than 100 ms|refers to itself/);
  // A thread that has to start on a busy machine says only that the schema takes too long.
  const [inThread] = await check(schema, value);
  expect([problem?.message, 'The schema takes too long; simplify it']).toContain(inThread?.message);
  expect(await check(person, { name: 'Ada' })).toEqual([]);
});

const simple = fc.oneof(
  fc.constantFrom<JsonSchema>({}, { type: 'string' }, { type: 'integer' }, { type: ['number', 'null'] }),
  fc.record({ minimum: fc.integer({ min: -2, max: 2 }), maximum: fc.integer({ min: -2, max: 4 }) }),
  fc.record({ minLength: fc.nat(2), pattern: fc.constantFrom('^a', 'b$', '[0-9]+', '\\p{L}') }),
  fc.record({ enum: fc.uniqueArray(fc.constantFrom('a', 1, null, true, 'ab'), { minLength: 1 }) }),
  fc.record({ const: fc.constantFrom('a', 1, null, { a: 1 }) }),
  fc.record({ format: fc.constantFrom('date', 'email', 'uuid', 'ipv4', 'nonsense') }),
);
const leaf = fc.oneof(simple, simple, fc.constant<JsonSchema>({ $ref: '#/$defs/x' }));
const names = fc.constantFrom('a', 'b', 'ab', 'isPrototypeOf');
const { schema: anySchema } = fc.letrec<{ schema: JsonSchema; node: JsonSchema }>((tie) => {
  const inner = tie('schema');
  const list = fc.array(inner, { minLength: 1, maxLength: 2 });
  return {
    schema: fc.oneof({ maxDepth: 3 }, leaf, tie('node')),
    node: fc.oneof(
      fc.record(
        {
          properties: fc.dictionary(names, inner),
          required: fc.uniqueArray(names),
          additionalProperties: inner,
        },
        { requiredKeys: ['properties'] },
      ),
      fc.record({ prefixItems: list, items: inner, uniqueItems: fc.boolean() }, { requiredKeys: [] }),
      fc.record({ anyOf: list }),
      fc.record({ oneOf: list }),
      fc.record({ allOf: list, unevaluatedProperties: fc.boolean() }),
      fc.record({ not: inner }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      fc.record({ if: inner, then: inner, else: inner }, { requiredKeys: ['if'] }),
      fc.record({ contains: inner, minContains: fc.nat(2) }, { requiredKeys: ['contains'] }),
    ) as fc.Arbitrary<JsonSchema>,
  };
});
const anyValue = fc.jsonValue({ maxDepth: 3, noUnicodeString: true } as object);
const likely = fc.oneof(fc.constantFrom('a', 'ab', 'b', 1, 2, null, true, 'x@y.org', '2024-02-30'), anyValue);
const value = fc.oneof(likely, fc.dictionary(names, likely), fc.array(likely));

test('random schemas and values: what we accept is what Ajv accepts', () => {
  // One for all: each compiles the schema of schemas anew.
  const ajv = addFormats.default(new Ajv2020({ strict: false, logger: false, ownProperties: true }));
  fc.assert(
    fc.property(anySchema, simple, value, (part, x, given) => {
      const schema = { ...part, $defs: { x } };
      const expected = ajv.validate(schema, given);
      const problems = validateValue({ schema: JSON.stringify(schema), value: given });
      expect(problems.length === 0).toBe(expected);
      expect(validateSchema(schema)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test.each<[number, number, boolean]>([
  [19.99, 0.01, true],
  [4.35, 0.01, true],
  [0.07, 0.01, true],
  [1234567.89, 0.01, true],
  [0.3, 0.1, true],
  [-1.1, 0.1, true],
  [1e-7, 1e-8, true],
  [1e308, 0.5, true],
  [19.999, 0.01, false],
  [0.35, 0.1, false],
  [1e308, 0.123456789, false],
  [7, 2, false],
])('%d is a multiple of %d by its digits: %s', async (value, multipleOf, fits) => {
  const problems = [{ path: '', message: `Must be multiple of ${multipleOf}` }];
  expect(await check({ multipleOf }, value)).toEqual(fits ? [] : problems);
  expect(await check({ multipleOf, not: { type: 'string' } }, value)).toEqual(fits ? [] : problems);
});

const only = (...names: string[]) => names.map((name) => ({ contains: { const: name } }));
const [a, b] = only('a', 'b');
// As text: the linter takes an object with `then` for a promise.
const conditional: JsonSchema = JSON.parse(
  JSON.stringify({ if: a, next: { if: b }, unevaluatedItems: false }).replace('next', 'then'),
);

test.each<[string, JsonSchema, unknown, boolean]>([
  ['a required name of an object', { required: ['toString', '__proto__'] }, {}, false],
  ['an object with such a name', { const: { a: 1 } }, { toString: 'a' }, false],
  [
    'equal objects with such names',
    { enum: [{ valueOf: 1, a: 2 }], not: { const: { valueOf: 1 } } },
    { a: 2, valueOf: 1 },
    true,
  ],
  [
    'items that are equal, with members in another order',
    { uniqueItems: true },
    [
      { toString: 1, a: -0 },
      { a: 0, toString: 1 },
    ],
    false,
  ],
  ['such a name', { required: ['toString'] }, { toString: 1 }, true],
  ['a property of such a name', { properties: { constructor: { type: 'number' } } }, {}, true],
  [
    'a property __proto__',
    { properties: JSON.parse('{"__proto__":{"type":"number"}}') },
    JSON.parse('{"__proto__":"x"}'),
    false,
  ],
  [
    'an item that only contains describes',
    { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false },
    [1, 'a', 'b'],
    true,
  ],
  [
    'an item that contains does not describe',
    { prefixItems: [true], contains: { type: 'string' }, unevaluatedItems: false },
    [1, 'a', 2],
    false,
  ],
  ['contains of a condition that holds', conditional, ['a', 'b'], true],
  ['contains of a condition that does not hold', conditional, ['b'], false],
  [
    'items of a branch that does not accept',
    { anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: { type: 'boolean' } },
    ['yes', false],
    false,
  ],
  [
    'items of a branch that accepts',
    { anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: { type: 'boolean' } },
    ['yes', 'no'],
    true,
  ],
  [
    'if without then',
    { if: { required: ['a'], properties: { a: true } }, unevaluatedProperties: false },
    { a: 1 },
    true,
  ],
  [
    'if without then that does not hold',
    { if: { properties: { a: { const: 1 } } }, else: true, unevaluatedProperties: false },
    { a: 2 },
    false,
  ],
  [
    'a reference',
    {
      $id: 'https://example.com/mine',
      $defs: { x: { $anchor: 'x', properties: { a: true } } },
      allOf: [{ $ref: '#x' }, { $ref: '#/$defs/x' }],
      unevaluatedProperties: false,
    },
    { a: 1 },
    true,
  ],
  [
    'what a reference does not describe',
    { $defs: { x: { properties: { a: true } } }, $ref: '#/$defs/x', unevaluatedProperties: false },
    { b: 1 },
    false,
  ],
  [
    'a pattern, and a dependent schema',
    {
      patternProperties: { '^a': true },
      dependentSchemas: { a1: { properties: { b: true } } },
      unevaluatedProperties: false,
    },
    { a1: 1, b: 2 },
    true,
  ],
  ['a cousin', { allOf: [{ properties: { a: true } }, { unevaluatedProperties: false }] }, { a: 1 }, false],
  [
    'a property of the type of the rest',
    { properties: { a: true }, unevaluatedProperties: { type: 'number' } },
    { a: 'x', b: 2 },
    true,
  ],
  [
    '$dynamicRef to an anchor',
    {
      properties: { list: { items: { $dynamicRef: '#each' } } },
      $defs: { each: { $dynamicAnchor: 'each', type: 'string' } },
    },
    { list: ['x'] },
    true,
  ],
  [
    '$dynamicRef that does not accept',
    {
      properties: { list: { items: { $dynamicRef: '#each' } } },
      $defs: { each: { $anchor: 'each', type: 'string' } },
    },
    { list: [1] },
    false,
  ],
  [
    '$dynamicRef to false',
    { properties: { no: { $dynamicRef: '#/$defs/no' } }, $defs: { no: false } },
    { no: 1 },
    false,
  ],
  [
    '$ref beside $id',
    {
      properties: {
        v: { $id: 'https://example.com/v', $ref: '#/$defs/n', $defs: { n: { type: 'number' } } },
      },
    },
    { v: 1 },
    true,
  ],
])('as in JSON Schema 2020-12: %s', async (_what, schema, value, fits) => {
  expect(await problemsOf(schema)).toEqual([]);
  expect((await check(schema, value)).length === 0).toBe(fits);
});

test('what is not evaluated is named with its path', async () => {
  const described = { properties: { a: true } };
  const schema = {
    properties: {
      'x/y': { allOf: [described], unevaluatedProperties: false },
      list: { prefixItems: [true], unevaluatedItems: false },
      rest: { allOf: [described], unevaluatedProperties: { type: 'number' } },
    },
  };
  const value = { 'x/y': { a: 1, 'b/c': 2 }, list: [1, 2], rest: { a: 'x', b: 'y', c: 3 } };
  expect(await check(schema, value)).toEqual([
    { path: 'x/y.b/c', message: 'The schema has no such member' },
    { path: 'list.1', message: 'Is an item that the schema does not describe' },
    { path: 'rest.b', message: 'Expected number' },
  ]);
});

const long = 7615917337495251231n;

test.each<[string, JsonSchema, unknown, string[]]>([
  ['a whole number beyond 2^53', { type: 'integer', minimum: 5 }, long, []],
  ['one above a limit', { type: 'integer', maximum: 5 }, long, ['Must be <= 5']],
  ['one where a text is expected', { type: 'string' }, long, ['Expected string']],
  ['one that is half of another', { multipleOf: 2 ** 60 }, 2n ** 61n, []],
  ['a constant', { const: Number(long) }, long, []],
  ['neighbours', { type: 'array', uniqueItems: true }, [long, long + 1n], []],
  ['neighbours inside', { properties: { ids: { uniqueItems: true } } }, { ids: [long, long + 1n] }, []],
  ['duplicates', { type: 'array', uniqueItems: true }, [long, long], ['Must NOT have duplicate items']],
  ['a decimal of many digits', { type: 'number', minimum: 0.1 }, '0.12345678901234567890123', []],
  ['the same as a text', { type: 'string' }, '0.12345678901234567890123', []],
  ['a short one as a text', { type: 'number' }, '0.5', ['Expected number']],
])('numbers that no double holds: %s', async (_name, schema, value, messages) => {
  expect((await check(schema, value)).map(({ message }) => message)).toEqual(messages);
});
