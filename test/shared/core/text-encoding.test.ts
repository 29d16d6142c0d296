import { expect, test } from 'vitest';
import { decodeUnnamed, otherReadings } from '../../../shared/core/text-encoding.ts';

/** Of what an encoding makes of a text: no decoder encodes, so the bytes are those that tables say. */
const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const western = (text: string) => Buffer.from(text, 'latin1');

test('UTF-8 with a letter that was cut is UTF-8, and only the bytes of that letter are replaced', () => {
  const cut = Buffer.concat([Buffer.from('Zürich, Große Straße, M'), bytes('c3'), Buffer.from(', 日本')]);
  expect(decodeUnnamed(cut)).toEqual({
    text: 'Zürich, Große Straße, M\uFFFD, 日本',
    encoding: 'utf-8',
    isGuess: false,
    isDamaged: true,
  });
});

test('a text of escape sequences is ISO-2022-JP, which would pass as ASCII', () => {
  const { text, encoding } = decodeUnnamed(bytes('1b 24 42 45 6c 35 7e 1b 28 42')) ?? {};
  expect({ text, encoding }).toEqual({ text: '東京', encoding: 'iso-2022-jp' });
});

test.each([
  'Zürich',
  'GRÜßE',
  'São Paulo, ação',
  'Þórður',
  'Île où à',
  '20 °C, 12 m², ½ l, Nº 5, £5',
  '«\xa0été\xa0»',
  '¿Qué?',
  'col·lecció',
])('Windows-1252 is guessed where its letters stand as in words: %s', (text) => {
  expect(decodeUnnamed(western(text))).toEqual({
    text,
    encoding: 'windows-1252',
    isGuess: true,
    isDamaged: false,
  });
});

test.each([
  ['don’t', '646f6e 92 74'],
  ['l’été', '6c 92 e974e9'],
  ['“quoted”', '93 71756f746564 94'],
  ['5 € – …', '3520 80 20 96 20 85'],
  ['———', '97 97 97'],
])('also by the signs that Windows added: %s', (text, hex) => {
  expect(decodeUnnamed(bytes(hex))).toMatchObject({ text, encoding: 'windows-1252' });
});

test('a byte without a character in Windows-1252 costs itself', () => {
  const words = 'Müller, Größe, Köln, Straße, Öse, Äpfel, Bär, Tür, Übung, süß, ';
  const { text, isDamaged } = decodeUnnamed(Buffer.concat([western(words), bytes('41 81')])) ?? {};
  expect({ text, isDamaged }).toEqual({ text: `${words}A\uFFFD`, isDamaged: true });
});

test.each([
  ['GBK', 'b1b1bea9', '"北京" in gbk'],
  ['Big5', 'a5 c1 b0 ea', '"民國" in big5'],
  ['Shift JIS', '93fa967b', '"日本" in shift_jis'],
  ['EUC-KR', 'bcadbfef', '"서울" in euc-kr'],
  ['Windows-1251', 'cceef1eae2e0', '"Москва" in windows-1251'],
  ['Mac Roman', '5a9f72696368', '"Zürich" in macintosh'],
  ['Mac Roman with a letter that is a dash elsewhere', '4c65976e', '"León" in macintosh'],
  ['Mac Roman with a letter that is an apostrophe elsewhere', '47617263 92 61', '"García" in macintosh'],
  ['ISO-8859-2 with a letter that Spanish has elsewhere', '4764 61 f1 736b', '"Gdańsk" in windows-1250'],
  ['Windows-1250 with a letter that is a power elsewhere', '4d69636861 b3', '"Michał" in windows-1250'],
  ['ISO-8859-2', 'a3f364bc', '"ŁódĽ" in windows-1250'],
])('%s is not taken for Windows-1252, and is among the readings', (_name, hex, reading) => {
  const text = Buffer.concat([Buffer.from('a\n'), bytes(hex)]);
  expect(decodeUnnamed(text)).toBeUndefined();
  expect(otherReadings(text)).toEqual({ line: 2, readings: expect.arrayContaining([reading]) });
});

test.each([
  ['letters in ASCII and one beyond', Buffer.concat([Buffer.alloc(3_000_000, 'a'), bytes('e9')])],
  ['apostrophes between letters', Buffer.alloc(3_000_000, bytes('61 92'))],
  ['quotes', Buffer.alloc(3_000_000, 0x93)],
])('a word of millions of %s is no text of Windows-1252, and stops nothing', (_name, text) => {
  expect(decodeUnnamed(text)).toBeUndefined();
  expect(otherReadings(text)).toEqual({ line: 1, readings: expect.any(Array) });
});

test('DOS code pages, and UTF-8 of which half is cut, are unknown', () => {
  expect(decodeUnnamed(bytes('436166 82'))).toBeUndefined();
  expect(decodeUnnamed(bytes('5a c3bc 20 4d c3'))).toBeUndefined();
});
