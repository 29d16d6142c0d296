import { expect, test } from 'vitest';
import { StepError } from '../../../../shared/core/errors/step-error.ts';
import { renderTemplate } from '../../../support/flows/sandbox.ts';

const variables = {
  nothing: null,
  keys: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key ${index}`, index])),
  name: 'size',
  list: Array<number>(500_000).fill(1),
  other: [...Array<number>(499_999).fill(1), 2],
};

// Each computes until the end of its time.
test.each([
  ['the size of an object', `{% if ${'keys.size == 1 or '.repeat(4_000)} nothing %}a{% endif %}`],
  ['the size of an object by a variable', `{% if ${'keys[name] and '.repeat(4_000)} nothing %}a{% endif %}`],
  ['lists beside each other', `{% if ${'list == list and '.repeat(4_000)} nothing %}a{% endif %}`],
  ['lists as cases', `{% case list %}{% when ${'other, '.repeat(4_000)} 1 %}{% endcase %}`],
])('reading %s thousands of times delays nobody else', async (_what, bomb) => {
  let turns = 0;
  const others = setInterval(() => turns++, 10);
  await expect(renderTemplate(bomb, variables)).rejects.toThrow(StepError);
  clearInterval(others);
  expect(turns).toBeGreaterThan(10);
});
