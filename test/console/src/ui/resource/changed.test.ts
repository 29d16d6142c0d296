import { expect, test } from 'vitest';
import { bodyToSend } from '../../../../../console/src/ui/resource/changed.ts';

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
  expect(bodyToSend('products.update', schema, before, { theme: null })).toEqual({
    description: '',
    note: '',
    theme: null,
  });
});

test('what is created has no members that nobody set', () => {
  expect(bodyToSend('products.create', schema, before, {})).toEqual({});
});

test('what stayed the same is not sent, so that what others changed meanwhile stays', () => {
  const stored = { ...before, expectedVersion: 3 };
  const send = (body: object) =>
    bodyToSend('secrets.update', { ...schema, required: ['limit'] }, stored, { ...stored, ...body }, [
      'expectedVersion',
    ]);
  expect(send({ note: 'New' })).toEqual({ note: 'New', limit: 3, expectedVersion: 3 });
  expect(send({})).toBeUndefined();
});
