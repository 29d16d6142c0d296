import { expect, test } from 'vitest';
import { coerceValue } from '../../../../shared/adapters/json-schema/meant-value.ts';

const schema = {
  type: 'object',
  properties: {
    edits: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } } } },
    options: { type: 'object', properties: { deep: { type: ['boolean', 'null'] } } },
    max: { type: 'number' },
    all: { type: 'boolean' },
    note: { type: 'string' },
    any: {},
    either: { type: ['string', 'array'] },
  },
  required: ['edits'],
};

test.each([
  ['a list', { edits: '[{"n":1}]' }, { edits: [{ n: 1 }] }],
  ['an item', { edits: ['{"n":"1"}'] }, { edits: [{ n: 1 }] }],
  ['an object', { options: '{"deep":"true"}' }, { options: { deep: true } }],
  ['a number', { max: ' 2.5 ' }, { max: 2.5 }],
  [
    'a whole number beyond 2^53',
    { edits: '[{"n":"7615917337495251231"}]' },
    { edits: [{ n: 7615917337495251231n }] },
  ],
  ['a number beyond 2^53', { max: '7615917337495251231' }, { max: 7615917337495251231n }],
  ['a boolean', { all: 'false' }, { all: false }],
  ['all of it', '{"edits":"[]"}', { edits: [] }],
  ['null for what is optional', { max: null, note: null }, {}],
])('%s that was written as a text once more is read', (_name, value, meant) => {
  expect(coerceValue(schema, value)).toEqual(meant);
});

test.each([
  ['a text that looks like JSON', { note: '[1]', any: '[1]', either: '[1]' }],
  ['what is no JSON', { edits: '[{' }],
  ['JSON of another type', { edits: '{"n":1}', max: '"7"', all: '1' }],
  ['null where it is required, allowed or unknown', { edits: null, options: { deep: null }, other: null }],
  ['a decimal of more digits than a number has', { max: '0.12345678901234567890123', edits: [] }],
  ['an integer that is none', { edits: [{ n: '1.5' }] }],
])('%s stays as it is', (_name, value) => {
  expect(coerceValue(schema, value)).toEqual(value);
});
