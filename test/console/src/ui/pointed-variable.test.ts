import { javascript } from '@codemirror/lang-javascript';
import { liquid } from '@codemirror/lang-liquid';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { variableAt } from '../../../../console/src/ui/code/pointed-variable.ts';

/** What is pointed at where the text has a bar. */
function pointedAt(text: string, language: () => ReturnType<typeof liquid>) {
  const place = text.indexOf('|');
  const state = EditorState.create({ doc: text.replace('|', ''), extensions: [language()] });
  return variableAt(state, place);
}

test('in a template, a variable is found at its name and at its members, not in the text around', () => {
  expect(pointedAt('Hello {{ ci|ty }}', liquid)).toBe('city');
  expect(pointedAt('Hello {{ city| }}', liquid)).toBe('city');
  expect(pointedAt('{{ order.items[0].pri|ce }}', liquid)).toBe('order');
  expect(pointedAt('{% if ord|er.total > 3 %}x{% endif %}', liquid)).toBe('order');
  expect(pointedAt('He|llo {{ city }}', liquid)).toBeUndefined();
});

test('in a script, a variable is found at its name and at its members, not at words of the language', () => {
  expect(pointedAt('return _record.meta|data.city', javascript)).toBe('_record');
  expect(pointedAt('return Number(peo|ple) / 2', javascript)).toBe('people');
  expect(pointedAt('ret|urn people', javascript)).toBeUndefined();
  expect(pointedAt('return "peo|ple"', javascript)).toBeUndefined();
});
