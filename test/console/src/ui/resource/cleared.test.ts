import { expect, test } from 'vitest';
import { withCleared } from '../../../../../console/src/ui/resource/cleared.ts';

const schema = {
  type: 'object',
  properties: {
    description: { type: 'string' },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    visibility: { enum: ['public', 'private'] },
    limit: { type: 'integer' },
    theme: { anyOf: [{ enum: ['light', 'dark'] }, { type: 'null' }] },
  },
};
const before = { description: 'Old', note: 'Old', visibility: 'public', limit: 3, theme: 'dark' };

test('a cleared text is sent as an empty one; a choice that is not set, never', () => {
  expect(withCleared('PUT /v1/products/{id}', schema, before, { theme: null })).toEqual({
    ...{ description: '', note: '', theme: null },
  });
});

test('what is created has no members that nobody set', () => {
  expect(withCleared('POST /v1/products', schema, before, {})).toEqual({});
});
