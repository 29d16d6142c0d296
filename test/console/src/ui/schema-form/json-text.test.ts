import { expect, test } from 'vitest';
import { follow, valueIn } from '../../../../../console/src/ui/values/exact-json.ts';

test('a text stays as it was typed, also where the form leaves out what is empty', () => {
  const typed = follow({ text: '{ }' }, undefined);
  expect(typed.text).toBe('{ }');
  expect(follow(typed, undefined).text).toBe('{ }');
  expect(follow(follow({ text: '{"a":1}' }, { a: 1 }), { a: 1 }).text).toBe('{"a":1}');
});

test('a text follows a value that an undo has changed', () => {
  const typed = follow({ text: '{"a":1}' }, { a: 1 });
  expect(follow(typed, { a: 2 }).text).toBe('{\n  "a": 2\n}');
  expect(follow(typed, undefined).text).toBe('');
});

test('a text that is no JSON stands for itself, and says why', () => {
  expect(valueIn('{')).toEqual({ value: '{', problem: expect.stringContaining('is used as text') });
  expect(valueIn(' ')).toEqual({ value: undefined });
});
