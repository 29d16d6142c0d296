import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactorOf } from '../../../shared/secrets/redactor.ts';

const value = 'p@ss/"wörd"+<&>\'100% \\sure';
const redactor = redactorOf([['KEY', value]]);
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
])('a value is found %s', (_how, written) => {
  expect(redactor.text(`before ${written} after`)).toBe(`before ${mark} after`);
});

test.each(['', 'u', 'us', 'use'])('a value is found in base64 behind "%s"', (before) => {
  const written = base64(`${before}${value}:x`);
  expect(redactor.text(written)).toContain(mark);
  // What is left has no six characters in a row that tell of the value.
  const left = Buffer.from(redactor.text(written).split(mark).join(''), 'base64').toString('latin1');
  for (let at = 0; at + 6 <= value.length; at++) expect(left).not.toContain(value.slice(at, at + 6));
});

test('a long token in a value is found however the rest is written', () => {
  const keys = redactorOf([['KEY', 'https://hooks.example.com/T1/0123456789abcdefXYZ']]);
  expect(keys.text('<0123456789abcdefXYZ>')).toBe('<[secret:KEY]>');
  expect(keys.text(base64('{{0123456789abcdefXYZ}}'))).toContain('[secret:KEY]');
  expect(keys.text('https://hooks.example.com')).toBe('https://hooks.example.com');
});

test('texts in JSON, names of members and numbers are cleaned, all else is as it was', () => {
  const digits = redactorOf([['PIN', '12345678']]);
  const given = { a: ['x12345678y', 12345678, 1.5, null, true], '12345678': { b: 'c' } };
  expect(digits.json(given)).toEqual({
    a: ['x[secret:PIN]y', mark.replace('KEY', 'PIN'), 1.5, null, true],
    '[secret:PIN]': { b: 'c' },
  });
});

test('of a value that is part of another one nothing is left', () => {
  const nested = redactorOf([
    ['SHORT', 'abcdefgh'],
    ['LONG', 'abcdefghijkl'],
  ]);
  expect(nested.text('abcdefghijkl abcdefgh')).toBe('[secret:LONG] [secret:SHORT]');
  const stream = nested.stream();
  expect(stream.push('abcdefgh') + stream.push('ijkl ') + stream.push('abcdefgh!') + stream.end()).toBe(
    '[secret:LONG] [secret:SHORT]!',
  );
});

test('a text that was cut off within a value tells nothing of it', () => {
  expect(redactor.cut(`Echo: ${value.slice(0, 12)}`)).toBe('Echo: [secret]');
  expect(redactor.cut(`Echo: ${value}`)).toBe(`Echo: ${mark}`);
  expect(redactor.cut('Echo')).toBe('Echo');
});

test('however a text is cut into pieces, its stream says what the whole one would', () => {
  const keys = redactorOf([
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

test('what cannot be part of a value is let go at once', () => {
  const stream = redactor.stream();
  expect(stream.push('Hello ')).toBe('Hello ');
  expect(stream.push('p@s')).toBe('');
  expect(stream.push('ta')).toBe('p@sta');
  expect(stream.end()).toBe('');
});
