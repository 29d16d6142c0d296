import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ErrorDetail, ServiceError } from '../../../../shared/core/errors/errors.ts';
import { parseJsonBody } from '../../../../shared/platform/http/lambda/handle-request.ts';

const headers = { 'content-type': 'application/json' };
const parseBody = (text: string) => parseJsonBody({ headers, body: text, isBase64Encoded: false });

/** What is wrong with a text, as path and code. */
function problemsOf(text: string): string[] {
  try {
    parseBody(text);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.details as ErrorDetail[]).map(({ path, code }) => `${path} ${code}`);
  }
}

test.each([
  '1e999',
  '-1e999',
  '1E+400',
  '9007199254740993',
  '-9007199254740993',
  '12345678901234567890',
  '9007199254740993.0',
  '9007199254740993e0',
  '90071992547409.93e2',
  '100000000000000000000001',
  '1e0000999',
])('the number %s is rejected at its path', (number) => {
  expect(problemsOf(`{"a":[1,{"b":${number}}]}`)).toEqual(['a.1.b NUMBER_NOT_EXACT']);
  expect(problemsOf(number)).toEqual([' NUMBER_NOT_EXACT']);
});

test.each([
  '9007199254740992',
  '9007199254740994',
  '1e22',
  '1e23',
  '1e300',
  '100000000000000000000000',
  '0e999',
  '0.1234567890123456789',
  '3.14159265358979323846',
  '1e-400',
  '-0',
  '0.0000000000000000000',
  '1.50e1',
  '12345678901234567000',
  '1.7976931348623157e308',
])('the number %s is accepted', (number) => {
  expect(parseBody(`{"a":${number}}`)).toEqual({ a: Number(number) });
});

test('output of JSON.stringify round-trips unchanged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('__proto__'));
      expect(JSON.stringify(parseBody(text))).toBe(text);
    }),
  );
});

test('an integer is accepted if and only if its digits round-trip', () => {
  // Below 10^21 JSON.stringify writes no exponent.
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (number) => {
      const comesBack = JSON.stringify(Number(number)) === String(number);
      expect(problemsOf(String(number)).length === 0).toBe(comesBack);
    }),
  );
});

test('several inexact numbers are reported, at most twenty', () => {
  expect(problemsOf('{"a":1e999,"b":"x","c":{"d":2e999}}')).toEqual([
    'a NUMBER_NOT_EXACT',
    'c.d NUMBER_NOT_EXACT',
  ]);
  expect(problemsOf(`[${Array.from({ length: 50 }, () => '1e999')}]`)).toHaveLength(20);
});

test('a property named __proto__ is rejected, even if escaped', () => {
  expect(problemsOf('{"a":{"__proto__":{}}}')).toEqual(['a.__proto__ FORBIDDEN_MEMBER']);
  expect(problemsOf(String.raw`{"\u005F\u005fpr\u006fto__":1}`)).toEqual(['__proto__ FORBIDDEN_MEMBER']);
  expect(parseBody('{"constructor":{"a":1},"a":"__proto__"}')).toMatchObject({ a: '__proto__' });
});

test('a property named constructor that has a prototype is rejected at its path, even if escaped', () => {
  const forbidden = ['a.1.constructor FORBIDDEN_MEMBER'];
  expect(problemsOf('{"a":[1,{"constructor":{"prototype":{}}}]}')).toEqual(forbidden);
  expect(problemsOf(String.raw`{"a":[1,{"c\u006fnstructor":{"\u0070rototype" :1}}]}`)).toEqual(forbidden);
  for (const value of ['"prototype"', '["prototype"]', 'null', '{"a":{"prototype":1}}']) {
    expect(problemsOf(`{"constructor":${value},"prototype":1}`)).toEqual([]);
  }
});

test('nesting up to 2,000 levels is accepted; 2,001 and 99,000 levels are rejected', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(problemsOf(nested(2_000))).toEqual([]);
  for (const levels of [2_001, 99_000]) expect(problemsOf(nested(levels))).toEqual([' TOO_DEEP']);
});

test('invalid JSON is rejected as invalid JSON', () => {
  for (const text of ['{', '{"a":01}', '{"a":NaN}', '1e999x']) {
    expect(problemsOf(text)).toEqual([' MALFORMED_JSON']);
  }
});

test('a number of millions of digits is checked in linear time', () => {
  expect(problemsOf(`[1${'0'.repeat(4_000_000)}1e-4000001]`)).toEqual([]);
});
