import { expect, test } from 'vitest';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { renderTemplate, renderValue, textProblem } from '../../../support/flows/sandbox.ts';

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

test('inherited members are not visible', async () => {
  const template =
    '{{ user.constructor }}{{ user.__proto__ }}{{ user.toString }}{{ __proto__ }}{{ constructor.name }}';
  expect(await renderTemplate(template, variables)).toBe('');
});

test('templates cannot load other files', async () => {
  for (const tag of ['include', 'render', 'layout']) {
    expect(await textProblem('template', `{% ${tag} "/etc/passwd" %}`)).toContain(`tag "${tag}" not found`);
  }
});

test('a template with a syntax error is rejected with its line and column', async () => {
  expect(await textProblem('template', 'fine\n{{ user.name')).toContain('line:2, col:1');
  expect(await textProblem('template', '{{ name | nofilter }}')).toContain('undefined filter: nofilter');
  expect(await textProblem('template', '{{ user.name }}')).toBeUndefined();
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

test('whitespace in a template with a filter takes linear time', async () => {
  const blanks = ' '.repeat(99_000);
  const fills = Array.from({ length: 100 }, () =>
    renderTemplate(`{{ user.name | upcase }}${blanks}`, variables),
  );
  expect(new Set(await Promise.all(fills))).toEqual(new Set([`ADA${blanks}`]));
});

test('saving rejects deep nesting', async () => {
  expect(
    await textProblem('template', `${'{% if a %}'.repeat(9_000)}${'{% endif %}'.repeat(9_000)}`),
  ).toBeDefined();
});

test('a text that is a single reference keeps the type of the value; others become text', async () => {
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

test('repeated references to a large value are limited', async () => {
  const many = Array.from({ length: 100 }, () => '{{ long }}');
  await expect(renderValue(many, variables)).rejects.toThrow('more than 4000000 characters');
  let value: unknown = 'x';
  const doubled = async () => {
    for (let turn = 0; turn < 60; turn++)
      value = await renderValue(['{{ value }}', '{{ value }}'], { value });
  };
  await expect(doubled()).rejects.toThrow('more than 4000000 characters');
  const large = 'x'.repeat(5_000_000);
  expect(await renderValue('{{ large }}', { large })).toBe(large);
});
