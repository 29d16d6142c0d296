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

const order = {
  lines: [
    { sku: 'A', qty: 2 },
    { sku: 'B', qty: 1 },
    { sku: 'A', qty: 2 },
  ],
  address: { city: 'Bergen' },
  net: 100,
  zero: 0,
  price: '12,50',
  long: '12345678901234567890',
  small: 1e-7,
};
const [a, b] = ['{"sku":"A","qty":2}', '{"sku":"B","qty":1}'];

test.each([
  ['{{ lines | join: ", " }}', `${a}, ${b}, ${a}`],
  ['{{ lines | reverse | join: "; " }}', `${a}; ${b}; ${a}`],
  ['{{ lines | uniq | join: "; " }}', `${a}; ${b}`],
  ['{{ lines | uniq: "sku" | map: "qty" | join }}{{ lines | compact: "none" | size }}', '2 10'],
  ['{{ lines | array_to_sentence_string }}', `${a}, ${b}, and ${a}`],
  ['{{ lines | first | append: "" }}', a],
  ['{{ lines | downcase }}', '[{"sku":"a","qty":2},{"sku":"b","qty":1},{"sku":"a","qty":2}]'],
  ['{{ lines | map: "qty" | join: "+" }}', '2+1+2'],
  ['{{ "To " | append: address }}', 'To {"city":"Bergen"}'],
  ['{{ "Bergen" | prepend: address }}', '{"city":"Bergen"}Bergen'],
  ['{{ address | replace: "Bergen", "Oslo" }}', '{"city":"Oslo"}'],
  ['{{ "x" | replace: "x", address }}', '{"city":"Bergen"}'],
  ['{{ address | truncate: 10 }}', '{"city"...'],
  ['{{ address | escape }}', '{&#34;city&#34;:&#34;Bergen&#34;}'],
  ['{{ address | url_encode | url_decode }}', '{"city":"Bergen"}'],
  ['{{ address | slice: 0, 6 }}', '{"city'],
  ['{{ address | raw }}', '{"city":"Bergen"}'],
  ['{{ address | size }}{{ lines | size }}{{ "four" | size }}', '134'],
  ['{% cycle address, lines %}{% echo lines[0] %}', `{"city":"Bergen"}${a}`],
  ['{% assign text = address | upcase %}{{ text }}', '{"CITY":"BERGEN"}'],
  ['{% for line in lines %}{{ forloop | append: "" | size | at_most: 1 }}{% endfor %}', '111'],
])('lists and objects are JSON behind every filter: %s', async (template, text) => {
  expect(await renderTemplate(template, order)).toBe(text);
});

test.each([
  ['{{ net | times: 1.15 }} {{ 4.35 | times: 100 }}', '115 435'],
  ['{{ 0.1 | plus: 0.2 }} {{ "10.1" | minus: "2.2" }}', '0.3 7.9'],
  [
    '{{ 20 | divided_by: 7.0 }} {{ 10 | divided_by: 4 }} {{ 7 | divided_by: 2, true }}',
    '2.857142857142857 2.5 3',
  ],
  ['{{ -7 | modulo: 3 }} {{ 0.3 | modulo: 0.1 }}', '2 0'],
  ['{{ long | plus: 1 }} {{ long | divided_by: 2 }}', '12345678901234567891 6172839450617283945'],
  ['{{ small | times: 1 }} {{ 0 | times: -1 }}', '0.0000001 0'],
  ['{{ 2.5 | round }} {{ -2.5 | round }} {{ 1.005 | round: 2 }} {{ 1250 | round: -2 }}', '3 -3 1.01 1300'],
  ['{{ -1.2 | ceil }} {{ -1.2 | floor }} {{ " -3.5 " | abs }}', '-1 -2 3.5'],
  ['{{ 5 | at_least: "7.5" }} {{ 5 | at_most: 3 }}', '7.5 3'],
  ['{{ lines | sum: "qty" }} {{ "0.1,0.2" | split: "," | sum }} {{ missing | sum }}', '5 0.3 0'],
  ['{{ missing | plus: 1 }}{% assign n = n | plus: 1 %}{{ n | plus: 1 }}', '12'],
  ['{% assign v = 0.1 | plus: 0.2 %}{% if v == 0.3 and v < 1 %}same{% endif %}', 'same'],
])('sums are exact decimals: %s', async (template, text) => {
  expect(await renderTemplate(template, order)).toBe(text);
});

test.each([
  ['{{ net | divided_by: zero }}', 'divides by zero'],
  ['{{ net | modulo: zero }}', 'divides by zero'],
  ['{{ net | divided_by: missing }}', 'divided_by needs numbers such as 12.5, not a value that is missing'],
  ['{{ net | times: missing }}', 'not a value that is missing'],
  ['{{ net | plus }}', 'not a value that is missing'],
  ['{{ price | plus: 1 }}', 'not "12,50"'],
  ['{{ "€ 12.50" | times: 2 }}', 'not "€ 12.50"'],
  ['{{ "1e9999" | plus: 1 }}', 'not "1e9999"'],
  ['{{ lines | plus: 1 }}', 'not a list'],
  ['{{ lines | sum }}', 'not an object'],
  ['{{ lines | sum: "sku" }}', 'not "A"'],
  ['{{ "1,2" | split: "," | sum: "sku" }}', 'needs objects'],
  ['{{ net | plus: true }}', 'not "true"'],
  ['{{ net | plus: 1, 2 }}', 'The filter plus takes one argument, and has 2'],
  ['{{ price | upcase: "x" }}', 'The filter upcase takes no argument'],
  ['{{ net | round: 0.5 }}', 'whole number of places'],
  ['{% assign n = 2 %}{% for i in (1..99) %}{% assign n = n | times: n %}{% endfor %}', '1000 digits'],
])('what is no sum is an error: %s', async (template, problem) => {
  await expect(renderTemplate(template, order)).rejects.toThrow(problem);
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
  ['one\n{{ a | upcase: 1 }}', 'The filter upcase takes no argument, and has 1, line:2, col:8'],
  ['{% if true %}{% assign b = a | plus: 1, 2 %}{% endif %}', 'The filter plus takes one argument'],
  ['{% for b in a %}{% echo b | date: "%Y", "UTC", 1 %}{% endfor %}', 'The filter date takes two arguments'],
  ['{{ a | default: "x", allow_false: true | uniq: "b" | replace: "a", "b" | upcase }}', undefined],
])('saving rejects arguments that a filter does not take: %s', async (template, problem) => {
  const found = await textProblem('template', template);
  if (problem) expect(found).toContain(problem);
  else expect(found).toBeUndefined();
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
