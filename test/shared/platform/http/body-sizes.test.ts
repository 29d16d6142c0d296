import fc from 'fast-check';
import { expect, test } from 'vitest';
import { invalid } from '../../../../shared/core/errors/errors.ts';
import { toJsonProxyResult } from '../../../../shared/platform/http/lambda/proxy-result.ts';
import {
  answerBytesMax,
  countEscapedBytes,
  countResponseBytes,
  fitsAnswer,
  takeWithinBytes,
} from '../../../../shared/platform/http/responses/body-sizes.ts';
import { toHttpError } from '../../../../shared/platform/http/responses/http-errors.ts';

/** The size of an answer as Lambda counts it. */
const answerBytes = (answer: unknown) => Buffer.byteLength(JSON.stringify(answer));

const texts = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(...'"\\\n\t\r\b\f\u0000\u001f\u007f\u2028a/é漢😀'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    maxLength: 50,
  })
  .map((text) => text.toWellFormed());

test('the escaped size of a text is its size inside a JSON string', () => {
  fc.assert(
    fc.property(texts, (text) => countEscapedBytes(text) === Buffer.byteLength(JSON.stringify(text)) - 2),
  );
});

test('the size of a value is what it adds to an answer', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      const empty = answerBytes({ body: '' });
      expect(countResponseBytes(value)).toBe(answerBytes({ body: JSON.stringify(value) }) - empty);
    }),
  );
});

const contents = ['"', '\\', '\n', '\u0001', '漢', '😀', 'x'];

test.each(contents)('a body of %j is returned up to the limit, and an error above it', (unit) => {
  const bodyOf = (units: number) => unit.repeat(units);
  const unitBytes = answerBytes(JSON.stringify(unit)) - answerBytes(JSON.stringify(''));
  let [fits, exceeds] = [answerBytesMax - 50_000, answerBytesMax].map((bytes) =>
    Math.ceil(bytes / unitBytes),
  ) as [number, number];
  expect([fits, exceeds].map((units) => fitsAnswer(JSON.stringify(bodyOf(units))))).toEqual([true, false]);
  while (exceeds - fits > 1) {
    const units = Math.floor((fits + exceeds) / 2);
    if (fitsAnswer(JSON.stringify(bodyOf(units)))) fits = units;
    else exceeds = units;
  }
  const headers = { 'x-large': 'x'.repeat(10_240) };
  expect(answerBytes(toJsonProxyResult(200, bodyOf(fits), headers))).toBeLessThan(answerBytesMax);
  expect(() => toJsonProxyResult(200, bodyOf(exceeds))).toThrow(
    expect.objectContaining({ code: 'RESPONSE_TOO_LARGE' }),
  );
});

test('as many values are taken as fit, and no more', () => {
  fc.assert(
    fc.property(fc.array(texts), fc.nat(500), (values, bytes) => {
      const taken = takeWithinBytes(values, bytes);
      expect(values.slice(0, taken.length)).toEqual(taken);
      expect(countResponseBytes(taken) - '[]'.length).toBeLessThanOrEqual(Math.max(0, bytes));
      const more = values.slice(0, taken.length + 1);
      if (more.length > taken.length) expect(countResponseBytes(more)).toBeGreaterThan(bytes);
    }),
  );
});

test.each(contents)('an error that repeats texts of the request fits an answer: %j', (unit) => {
  const text = unit.repeat(5_000_000);
  const details = Array.from({ length: 1_000 }, () => ({
    path: text,
    code: 'INVALID_VALUE' as const,
    message: text,
  }));
  const { statusCode, body, headers } = toHttpError(invalid(details));
  expect(answerBytes(toJsonProxyResult(statusCode, body, headers))).toBeLessThan(answerBytesMax);
});
