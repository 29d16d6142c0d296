import { expect, test } from 'vitest';
import { runBuiltin, stepFailureMessage } from '../run-tool.ts';

const run = (expression: string, variables?: object) =>
  runBuiltin('calculator', { expression, ...(variables && { variables }) });

test.each([
  ['0.1 + 0.2', '0.3'],
  ['1/3', '0.33333333333333333333333333333333333333333333333333'],
  ['2 ** 200', '1606938044258990275541962092341162602522202993782800000000000'],
  ['(1200 * 1.25 - 300) / 3', '400'],
  ['-(2 ** 3) + 7 % 4', '-5'],
  ['9007199254740993 + 1', '9007199254740994'],
  ['round(2.345, 2) + round(2.5)', '5.35'],

  ['max(1, 2.5, -3) + min(4, 5) + sum(1, 2, 3) + avg(1, 2)', '14'],
  ['floor(-1.5) + ceil(1.2) + trunc(-1.9) + abs(-3)', '2'],
  ['log10(1000) + log2(8) + ln(1)', '6'],
  ['pi', '3.1415926535897932384626433832795028841971693993751'],
  ['1_000 + 1e3', '2000'],
])('%s is %s', async (expression, result) => {
  expect(await run(expression)).toMatchObject({ result });
});

test('variables are numbers, or texts that keep all digits', async () => {
  expect(await run('price * count', { price: '19.99000000000000000001', count: 3 })).toEqual({
    result: '59.97000000000000000003',
    number: 59.97,
  });
});

test.each([
  ['1 / 0', 'infinite'],
  ['9 ** 9 ** 9', 'infinite'],
  ['0 / 0', 'not a number'],
  ['sqrt(-1)', 'not a number'],
  ['2 ^ 3', 'Write ** for powers'],
  ['1,000 + 1', 'thousands separators'],
  ['process.exit(1)', 'This call is not part of arithmetic'],
  ['constructor', 'constructor has no value'],
  ['constructor(1)', 'The function constructor is not part of arithmetic'],
  ['"a" + 1', 'The value "a" is not part of arithmetic'],
  ['(() => 1)()', 'This call is not part of arithmetic'],
  ['a = 1', 'not part of arithmetic'],
  ['x + 1', 'x has no value; give it in variables'],
  ['1 +', 'The expression cannot be read'],
  ['1 2', 'Unexpected "2" after the expression'],
  ['round(1.5, -1)', 'places from 0 to 50'],
  ['sqrt(1, 2)', 'sqrt takes 1 values'],
  [Array(120).fill('1').join('+'), 'at most 100 operations'],
])('%s fails: %s', async (expression, message) => {
  expect(await stepFailureMessage(run(expression))).toContain(message);
});

test('a variable that is no number is refused', async () => {
  expect(await stepFailureMessage(run('x', { x: '1e99999999' }))).toContain('is not a number');
  expect(await stepFailureMessage(run('x', { 'x y': 1 }))).toContain('do not fit');
});

test('parentheses nest as deeply as an expression is long', async () => {
  expect(await run(`${'('.repeat(90)}1${')'.repeat(90)}`)).toMatchObject({ result: '1' });
});
