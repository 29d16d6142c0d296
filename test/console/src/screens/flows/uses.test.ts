import { expect, test } from 'vitest';
import { usedVariables, variableReaders } from '../../../../../console/src/screens/flows/data/uses.ts';
import { stepOutputNames } from '../../../../../console/src/screens/flows/steps/scopes.ts';
import type { Step } from '../../../../../console/src/screens/flows/steps/steps.ts';
import { inOneLine } from '../../../../../console/src/ui/values/one-line.ts';

const step = (id: string, config: object, more: object = {}): Step => ({
  id,
  type: 'template',
  name: id,
  config: { ...config },
  ...more,
});

test('a step uses what its templates, scripts and conditions read, and not what they define', () => {
  const template = '{% for x in items %}{{ x.a }}{{ city.name | upcase }}{% endfor %}{{secret:KEY}} text';
  expect(usedVariables(step('a', { template, outputVariable: 'own' }))).toEqual(['items', 'city']);
  const script = 'const a = city.x; return JSON.stringify(items.map((i) => i.b + a + text[0]))';
  expect(usedVariables(step('b', { script }, { when: 'isOn' }))).toEqual(['isOn', 'city', 'items', 'text']);
  expect(
    usedVariables(step('c', { value: { deep: ['{{ name }}'] }, sourceVariable: 'answer.items[0]' })),
  ).toEqual(['name', 'answer']);
  expect(
    usedVariables(step('d', { condition: 'ok', trueSteps: [step('e', { template: '{{ inner }}' })] })),
  ).toEqual(['ok']);
});

test('a variable is read until another step sets it anew', () => {
  const read = (id: string, outputVariable = id) => step(id, { template: '{{ a }}', outputVariable });
  const steps = [step('set', { variableName: 'a' }), read('b'), read('c', 'a'), read('d')];
  expect(variableReaders(steps, steps[0] as Step).map(({ id }) => id)).toEqual(['b', 'c']);
});

test('a value of any kind and size has a beginning in one line', () => {
  expect(inOneLine('a\n  b')).toBe('a b');
  expect(inOneLine([1, 2])).toBe('2 items');
  expect(inOneLine({ a: 1, b: 2 })).toBe('{ a, b }');
  expect(inOneLine(null)).toBe('null');
  expect(inOneLine('x'.repeat(1_000_000))).toHaveLength(80);
});

test('what a step reads is none of its outputs; those of branches are outputs too', () => {
  const inner = step('inner', { variableName: 'b', value: 1 });
  const steps = [step('a', { outputVariable: 'a', sourceVariable: 'x' }), step('if', { trueSteps: [inner] })];
  expect(stepOutputNames(steps)).toEqual(['a', 'b']);
});
