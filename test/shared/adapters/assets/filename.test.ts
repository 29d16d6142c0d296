import { expect, test } from 'vitest';
import { contentDisposition, safeFilename } from '../../../../shared/adapters/assets/asset-store.ts';

test.each([
  ['report.pdf', 'report.pdf'],
  ['  spaced name.txt ', 'spaced name.txt'],
  ['Übersicht – 日本.csv', 'Übersicht – 日本.csv'],
  ['u\u0308ber.txt', 'über.txt'],
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['..\\..\\windows', '.._.._windows'],
  ['/etc/passwd', '_etc_passwd'],
  ['a\r\nSet-Cookie: x.txt', 'a__Set-Cookie: x.txt'],
  ['nul\0l.txt', 'nul_l.txt'],
  ['invoice\u202Efdp.exe', 'invoice_fdp.exe'],
  ['half \ud800 pair', 'half \ufffd pair'],
  ['.hidden', '.hidden'],
])('%j becomes %j', (text, name) => {
  expect(safeFilename(text)).toBe(name);
});

test.each(['', '  ', '.', '..', ' .. '])('%j is not a filename', (text) => {
  expect(() => safeFilename(text)).toThrow(`${JSON.stringify(text)} is not a valid filename`);
});

test('a filename has at most 255 bytes', () => {
  expect(safeFilename('ü'.repeat(127))).toHaveLength(127);
  expect(() => safeFilename('ü'.repeat(128))).toThrow('has at most 255 bytes; this one has 256');
});

test('a header contains any filename in ASCII, without anything that would end it', () => {
  expect(contentDisposition('a"b\\c%d;é’(1)*.pdf', 'application/pdf')).toBe(
    `inline; filename="a_b_c_d;__(1)*.pdf"; filename*=UTF-8''a%22b%5Cc%25d%3B%C3%A9%E2%80%99%281%29%2A.pdf`,
  );
});
