import { expect, test } from 'vitest';
import { configProblems, runStep } from './run-step.ts';

const variables = { user: { name: 'Ada', langs: ['fr', 'en'] } };

test.each([
  [{ value: 5 }, 5],
  [{ value: null }, null],
  [
    { value: { who: '{{ user.name }}', langs: '{{ user.langs }}', n: [true] } },
    { who: 'Ada', langs: ['fr', 'en'], n: [true] },
  ],
  [{ valueTemplate: '{{ user }}' }, variables.user],
  [{ valueTemplate: 'Dear {{ user.name }}' }, 'Dear Ada'],
  [{ valueTemplate: '{{ nobody.there }}' }, null],
])('%j returns %j', async (given, output) => {
  expect(await runStep('set-variable', { variableName: 'x', ...given }, { variables })).toEqual({ output });
});

const deep = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`);
test.each([
  [{}, 'value: Give either value or valueTemplate'],
  [{ value: 1, valueTemplate: 'x' }, 'value: Give either value or valueTemplate'],
  [{ value: { a: ['{{ x'] } }, 'value.a.0: output "{{ x" not closed, line:1, col:1'],
  [{ value: deep }, 'value: Nested more than 30 levels deep'],
])('an invalid value is rejected', async (given, problem) => {
  expect(await configProblems('set-variable', { variableName: 'x', ...given })).toEqual([problem]);
});

test.each(['__proto__', 'constructor', 'variables', '_flow', 'a b', ''])(
  'the name "%s" is rejected',
  async (variableName) => {
    expect(await configProblems('set-variable', { variableName, value: 1 })).toHaveLength(1);
  },
);
