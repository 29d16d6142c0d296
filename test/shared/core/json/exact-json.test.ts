import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bigintMark,
  clientJson,
  markNumbers,
  mayBeInexact,
  parseExact,
  parseExactIn,
  toDoubles,
  toLongDecimals,
  toRawNumbers,
  unmarkNumbers,
} from '../../../../shared/core/json/exact-json.ts';

const id = '7615917337495251231';
const decimal = '0.12345678901234567890123';

/** A whole number of up to 38 digits, as JSON has it. */
const whole = fc
  .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 1n, max: 10n ** 38n - 1n }))
  .map(([sign, digits]) => `${sign}${digits}`);
/** Texts that look like numbers, names that are numbers, and what is around them in JSON. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  whole,
  fc.constantFrom('"', '\\', '\\"1234567890123456789', '__proto__'),
);
const plain = fc.jsonValue({ maxDepth: 4 });

test.for([
  ['0', 0],
  ['-0', -0],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740992', 2 ** 53],
  ['9007199254740993', 9007199254740993n],
  ['-9007199254740993', -9007199254740993n],
  ['1e3', 1000],
  ['1E+21', 1e21],
  ['1e22', 1e22],
  ['1e23', 1e23],
  ['12345678901234567e1', 123456789012345670n],
  ['123456789012345678', 123456789012345678n],
  ['4.7951340335434569e+28', 4.795134033543457e28],
  ['1234567890123456.0', 1234567890123456],
  ['9007199254740993.0', 9007199254740993n],
  ['99999999999999999999999999999999999999', 10n ** 38n - 1n],
  ['100000000000000000000000000000000000001', '100000000000000000000000000000000000001'],
  ['1e999', '1e999'],
  ['-1E400', '-1E400'],
  ['1e-400', '1e-400'],
  ['0.1', 0.1],
  ['0.30000000000000004', 0.1 + 0.2],
  ['0.1000000000000000055511151231257827', 0.1],
  ['0.1000000000000000055511151231257828', '0.1000000000000000055511151231257828'],
  ['0.10000000000000000000000000', 0.1],
  ['0.0000000000000000', 0],
  [decimal, decimal],
  ['3.14159265358979323846', '3.14159265358979323846'],
] as const)('%s is read as %s', ([json, value]) => {
  expect(parseExact(json)).toBe(value);
  expect(parseExact(` [ ${json} , { "a" : ${json} } ] `)).toEqual([value, { a: value }]);
});

test('whole numbers of up to 38 digits come out as they went in', () => {
  const json = fc
    .array(
      fc.oneof(
        whole,
        text.map((each) => JSON.stringify(each)),
      ),
    )
    .map((all) => `{"a":[${all}],"b":{"c":[${all}]}}`);
  fc.assert(
    fc.property(json, (given) => {
      expect(JSON.stringify(parseExact(given))).toBe(given);
    }),
  );
});

test('a whole number is a bigint only where a double has other digits', () => {
  fc.assert(
    fc.property(whole, (digits) => {
      const value = parseExact(digits);
      if (typeof value === 'bigint') expect(String(value)).toBe(digits);
      else expect(BigInt(digits)).toBe(BigInt(value as number));
    }),
  );
});

test('doubles stay numbers, whether they are written with the fewest digits or with 17', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      for (const written of [number.toExponential(), number.toExponential(16), `${number}`])
        expect(parseExact(written) === number, written).toBe(true);
      if (!Number.isInteger(number)) expect(parseExact(number.toPrecision(17))).toBe(number);
    }),
  );
});

test('decimals with more digits than a double has are texts of these digits', () => {
  const long = fc
    .tuple(fc.bigInt({ min: 10n ** 20n, max: 10n ** 30n }), fc.integer({ min: 1, max: 15 }))
    .map(([digits, places]) => {
      const all = `${digits}7`;
      return `${all.slice(0, -places - 1)}.${all.slice(-places - 1)}`;
    });
  fc.assert(
    fc.property(long, (written) => {
      expect(parseExact(`[${written}]`)).toEqual([written]);
    }),
  );
});

test('all other JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(plain, text, fc.integer({ min: 0, max: 3 }), (value, words, space) => {
      const json = JSON.stringify({ value, words, [words]: [words], id: 1 }, null, space).replace(/1$/, '1');
      const exact = json.replace('"id": 1', `"id": ${id}`).replace('"id":1', `"id":${id}`);
      expect(parseExact(json)).toStrictEqual(JSON.parse(json));
      expect(parseExact(exact)).toStrictEqual({ ...JSON.parse(json), id: BigInt(id) });
    }),
  );
});

test.each([
  '',
  '{',
  `01${id}`,
  `${id}.`,
  `.${id}`,
  `+${id}`,
  `--${id}`,
  `[${id} ${id}]`,
  `{${id}:1}`,
  `{${id} :1}`,
  `{"a":${id}x}`,
  `{"a":"${id}}`,
  `${id}-5`,
  `${id}e`,
  `"${id}"${id}`,
  `[${id},]`,
])('the error of invalid JSON is that of JSON.parse: %s', (json) => {
  const message = (work: () => unknown) => {
    try {
      return [work()];
    } catch (error) {
      return String(error);
    }
  };
  expect(message(() => parseExact(json))).toBe(message(() => JSON.parse(json)));
  expect(message(() => parseExact(json))).toContain('SyntaxError');
});

test('a member __proto__ is a member', () => {
  const value = parseExact(`{"__proto__":${id}}`) as object;
  expect(Object.entries(value)).toEqual([['__proto__', BigInt(id)]]);
});

test('only texts that may have such a number are looked at', () => {
  expect(
    ['', '123456789012345', '"a1b2"', '1e99', '2026-11-29T00:00:00.000Z'].map(mayBeInexact),
  ).not.toContain(true);
  expect([id, decimal, '1e100', '1E-400', `"${id}"`].map(mayBeInexact)).not.toContain(false);
});

/** With bigints, as they come from others. */
const exactValue = fc
  .array(
    fc.oneof(
      whole,
      plain.map((each) => JSON.stringify(each)),
    ),
    { minLength: 1 },
  )
  .map((all) => parseExact(`{"list":[${all}],"one":${all[0]},"inside":{"a":[[${all}]]}}`));

test('marks can be taken away again, and pass through JSON', () => {
  fc.assert(
    fc.property(exactValue, (value) => {
      expect(unmarkNumbers(markNumbers(value))).toStrictEqual(value);
      expect(unmarkNumbers(JSON.parse(JSON.stringify(markNumbers(value))))).toStrictEqual(
        JSON.parse(JSON.stringify(value), (_name, member) => member) && parseExact(JSON.stringify(value)),
      );
    }),
  );
});

test.each([
  { [bigintMark]: 'words' },
  { [bigintMark]: '' },
  { [bigintMark]: '1'.repeat(39) },
  { [bigintMark]: 5 },
  { [bigintMark]: null },
  { [bigintMark]: { [bigintMark]: 'x' } },
  { [bigintMark]: id, more: 1 },
  [bigintMark],
])('what others make up as a mark stays as it is: %j', (value) => {
  expect(unmarkNumbers(value)).toStrictEqual(value);
});

test('a mark that others make up for a small number is that number', () => {
  expect(unmarkNumbers([{ [bigintMark]: '5' }])).toEqual([5]);
});

test('nothing is copied where nothing changes', () => {
  fc.assert(
    fc.property(plain, (value) => {
      for (const change of [markNumbers, toDoubles, toRawNumbers]) expect(change(value)).toBe(value);
    }),
  );
});

test('for clients, numbers that no double holds are texts, and nothing else changes', () => {
  expect(clientJson({ a: BigInt(id), b: [decimal, 5, 0.1] })).toBe(`{"a":"${id}","b":["${decimal}",5,0.1]}`);
  fc.assert(
    fc.property(plain, (value) => {
      expect(clientJson(value)).toBe(JSON.stringify(value));
    }),
  );
});

test('for what only compares, there are doubles', () => {
  expect(toDoubles({ a: [BigInt(id)], b: decimal })).toEqual({ a: [Number(id)], b: decimal });
  const given = {
    a: decimal,
    b: '0.5',
    c: 'words',
    d: '12345678901234567890123456789012345678901',
    e: '1e999',
    f: `${decimal} `,
  };
  expect(toLongDecimals(given)).toEqual({
    ...given,
    a: Number(decimal),
    d: 1.2345678901234568e40,
    e: Number.POSITIVE_INFINITY,
  });
});

test('raw numbers are written with their digits', () => {
  expect(JSON.stringify(toRawNumbers({ a: [BigInt(id)] }))).toBe(`{"a":[${id}]}`);
  expect(JSON.stringify({ a: BigInt(id), b: Object(BigInt(id)) })).toBe(`{"a":${id},"b":${id}}`);
});

test('for libraries that parse themselves, only the members that are values of others are exact', () => {
  const names = new Set(['input']);
  const json = `{"count":${id},"input":{"a":${id},"b":[${decimal}]},"list":[{"input":{"c":${id}}},{"input":${id}}]}`;
  const mark = { [bigintMark]: id };
  expect(parseExactIn(json, names)).toEqual({
    count: Number(id),
    input: { a: mark, b: [decimal] },
    list: [{ input: { c: mark } }, { input: Number(id) }],
  });
});
