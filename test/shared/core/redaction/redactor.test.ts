import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedactor } from '../../../../shared/core/redaction/redactor.ts';

const value = 'p@ss/"wörd"+<&>\'100% \\sure';
const redactor = createRedactor([['KEY', value]]);
const mark = '[secret:KEY]';

const base64 = (text: string) => Buffer.from(text).toString('base64');

test.each([
  ['as it is', value],
  ['in JSON', JSON.stringify(value).slice(1, -1)],
  ['in JSON within JSON', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
  ['in JSON with escaped slashes', JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
  ['in JSON of ASCII alone', JSON.stringify(value).slice(1, -1).replace('ö', '\\u00f6')],
  ['in a URL', encodeURIComponent(value)],
  ['in a URL, in lower case', encodeURIComponent(value).replaceAll(/%../g, (each) => each.toLowerCase())],
  ['in a URL, strictly', encodeURIComponent(value).replaceAll("'", '%27')],
  ['in a URL twice', encodeURIComponent(encodeURIComponent(value))],
  ['in a form', new URLSearchParams({ v: value }).toString().slice(2)],
  [
    'in HTML',
    value.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;').replaceAll('"', '&quot;'),
  ],
  ['in hexadecimal digits', Buffer.from(value).toString('hex')],
  ['in base64', base64(value)],
  ['in base64, as it is in a URL', base64(encodeURIComponent(value))],
  ['in base64, as it is in JSON', base64(JSON.stringify(value).slice(1, -1))],
  ['in base64 for URLs', Buffer.from(value).toString('base64url')],
])('a value is redacted %s', (_how, written) => {
  expect(redactor.text(`before ${written} after`)).toBe(`before ${mark} after`);
});

test.each(['', 'u', 'us', 'use'])('a value is redacted in base64 after "%s"', (before) => {
  const written = base64(`${before}${value}:x`);
  expect(redactor.text(written)).toContain(mark);
  // What is left has no six characters in a row that tell of the value.
  const left = Buffer.from(redactor.text(written).split(mark).join(''), 'base64').toString('latin1');
  for (let at = 0; at + 6 <= value.length; at++) expect(left).not.toContain(value.slice(at, at + 6));
});

test('a long token within a value is redacted even without the rest of the value', () => {
  const keys = createRedactor([['KEY', 'https://hooks.example.com/T1/0123456789abcdefXYZ']]);
  expect(keys.text('<0123456789abcdefXYZ>')).toBe('<[secret:KEY]>');
  expect(keys.text('https://hooks.example.com')).toBe('https://hooks.example.com');
});

test('JSON strings, property names and numbers are redacted; everything else is unchanged', () => {
  const digits = createRedactor([['PIN', '12345678']]);
  const given = { a: ['x12345678y', 12345678, 1.5, null, true], '12345678': { b: 'c' } };
  expect(digits.json(given)).toEqual({
    a: ['x[secret:PIN]y', mark.replace('KEY', 'PIN'), 1.5, null, true],
    '[secret:PIN]': { b: 'c' },
  });
});

test('a value that is part of another value is redacted completely', () => {
  const nested = createRedactor([
    ['SHORT', 'abcdefgh'],
    ['LONG', 'abcdefghijkl'],
  ]);
  expect(nested.text('abcdefghijkl abcdefgh')).toBe('[secret:LONG] [secret:SHORT]');
  const stream = nested.stream();
  expect(stream.push('abcdefgh') + stream.push('ijkl ') + stream.push('abcdefgh!') + stream.end()).toBe(
    '[secret:LONG] [secret:SHORT]!',
  );
});

test('replacement marks are not scanned again, whatever the secret’s name', () => {
  const chain = Array.from({ length: 8 }, (_, n) => {
    const [name, letter] = [n + 1, n].map((at) => String.fromCharCode(65 + at)) as [string, string];
    return [name.repeat(99), letter.repeat(8)] as const;
  });
  expect(createRedactor(chain).text('x AAAAAAAA y')).toBe(`x [secret:${'B'.repeat(99)}] y`);
});

test('two overlapping values are both redacted completely', () => {
  const overlapping = createRedactor([
    ['ONE', 'abcdefgh-1234'],
    ['TWO', '1234-zyxwvuts'],
  ]);
  expect(overlapping.text('<abcdefgh-1234-zyxwvuts>')).toBe('<[secret:ONE][secret:TWO]>');
});

test.each([
  ['every byte escaped', [...Buffer.from(value)].map((byte) => `%${byte.toString(16)}`).join('')],
  [
    'as Go writes JSON',
    JSON.stringify(value).replace('<', '\\u003c').replace('&', '\\u0026').replace('>', '\\u003e'),
  ],
  ['as .NET writes JSON', JSON.stringify(value).replace('+', '\\u002B').replace("'", '\\u0027')],
  ['with numeric entities', [...value].map((sign) => `&#${sign.codePointAt(0)};`).join('')],
  ['as Mustache escapes', value.replace('/', '&#x2F;').replace('&', '&amp;').replace('"', '&quot;')],
  ['three levels of JSON deep', JSON.stringify(JSON.stringify(JSON.stringify({ value })))],
  ['in UTF-16 that was taken for bytes', [...Buffer.from(value, 'utf16le').toString('latin1')].join('')],
  ['as Python quotes URLs', encodeURIComponent(value).replaceAll('%2F', '/')],
])('a text that contains a value %s is redacted as a whole', (_how, written) => {
  expect(redactor.text(`before ${written} after`)).not.toMatch(/ss.{0,20}"?w/);
  expect(redactor.text(`before ${written} after`)).toContain(mark);
});

test('redacting forty long values in 5 MB of text takes linear time', () => {
  const words = (n: number) =>
    Array.from({ length: 588 }, (_, at) => `${n}w${at}`.padEnd(16, 'xyz')).join('-');
  const many = createRedactor(Array.from({ length: 40 }, (_, n) => [`K${n}`, words(n)] as const));
  const text = 'lorem ipsum dolor '.repeat(280_000);
  expect(many.text(text)).toBe(text);
  expect(many.text(`${text}${words(7)}`)).toBe(`${text}[secret:K7]`);
});

test('streaming a text in any chunks gives the same result as redacting it whole', () => {
  const keys = createRedactor([
    ['A', 'aabaabaab'],
    ['B', 'abaabaabb'],
  ]);
  const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'aabaabaab', '-'), maxLength: 4 }));
  fc.assert(
    fc.property(pieces, (given) => {
      const stream = keys.stream();
      const streamed = given.map((piece) => stream.push(piece)).join('') + stream.end();
      for (const hidden of ['aabaabaab', 'abaabaabb']) expect(streamed).not.toContain(hidden);
      const whole = keys.stream();
      expect(streamed).toBe(whole.push(given.join('')) + whole.end());
    }),
    { numRuns: 2_000 },
  );
});

test('the stream emits text immediately if it cannot be part of a value', () => {
  const stream = redactor.stream();
  expect(stream.push('Hello ')).toBe('Hello ');
  expect(stream.push('p@s')).toBe('');
  expect(stream.push('ta')).toBe('p@sta');
  expect(stream.end()).toBe('');
});
