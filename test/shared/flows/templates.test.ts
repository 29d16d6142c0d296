import { expect, test } from 'vitest';
import { StepError } from '../../../shared/flows/step.ts';
import { problemOf, renderTemplate, renderValue } from '../../support/sandbox.ts';

const variables = {
  user: { name: 'Ada', tags: ['a', 'b'], age: 36 },
  nothing: null,
  long: 'x'.repeat(100_000),
};

test.each([
  ['Hello {{ user.name }}', 'Hello Ada'],
  ['{{ user.tags[1] | upcase }}', 'B'],
  ['{% for tag in user.tags %}{{ tag }};{% endfor %}', 'a;b;'],
  ['[{{ missing }}{{ missing.deeper.still }}{{ nothing }}{{ empty }}]', '[]'],
  ['{{ user }}', '{"name":"Ada","tags":["a","b"],"age":36}'],
  ['{{ user.tags }}', '["a","b"]'],
  ['{{ user.tags | join: "+" }}', 'a+b'],
  ['no references { here }', 'no references { here }'],
  ['', ''],
])('%s becomes %s', async (template, text) => {
  expect(await renderTemplate(template, variables)).toBe(text);
});

test('what is inherited is not to be seen', async () => {
  const template =
    '{{ user.constructor }}{{ user.__proto__ }}{{ user.toString }}{{ __proto__ }}{{ constructor.name }}';
  expect(await renderTemplate(template, variables)).toBe('');
});

test('nothing can be fetched from beside a template', async () => {
  for (const tag of ['include', 'render', 'layout']) {
    expect(await problemOf('template', `{% ${tag} "/etc/passwd" %}`)).toContain(`tag "${tag}" not found`);
  }
});

test('a template that does not parse is refused with its line and column', async () => {
  expect(await problemOf('template', 'fine\n{{ user.name')).toContain('line:2, col:1');
  expect(await problemOf('template', '{{ name | nofilter }}')).toContain('undefined filter: nofilter');
  expect(await problemOf('template', '{{ user.name }}')).toBeUndefined();
});

test.each([
  '{% for i in (1..100000000) %}a{% endfor %}',
  '{% assign all = (1..30000) %}{% for i in all %}{% for j in all %}{% endfor %}{% endfor %}',
  '{% assign a = long %}{% for i in (1..1000) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
  '{% for i in (1..10000) %}{{ long }}{% endfor %}',
  '{{ long | split: "" | join: long }}',
  '{{ user | where_exp: "a", "b(" }}',
])('the bomb %s is a StepError, and the next template is unharmed', async (bomb) => {
  await expect(renderTemplate(bomb, variables)).rejects.toThrow(StepError);
  expect(await renderTemplate('{{ user.name }}', variables)).toBe('Ada');
});

test('deep nesting is refused when it is saved', async () => {
  expect(
    await problemOf('template', `${'{% if a %}'.repeat(9_000)}${'{% endif %}'.repeat(9_000)}`),
  ).toBeDefined();
});

test('a text that is one reference keeps the type of what it names; others become text', async () => {
  const value = {
    whole: '{{ user.tags }}',
    age: '{{user.age}}',
    said: 'is {{ user.age }}',
    gone: '{{ nobody }}',
    n: 1,
  };
  expect(await renderValue([value], variables)).toEqual([
    { whole: ['a', 'b'], age: 36, said: 'is 36', gone: null, n: 1 },
  ]);
});
