import { expect, test } from 'vitest';
import { findFencedParts, stripFence } from '../../../shared/core/text.ts';

const ticks = '```';

test.each([
  ['a fence', `${ticks}json\n{"a":1}\n${ticks}`],
  ['without a language', `${ticks}\n{"a":1}\n${ticks}`],
  ['with spaces around', `  \n${ticks} json  \t\r\n{"a":1}\r\n${ticks}  \n`],
  ['of tildes', '~~~json\n{"a":1}\n~~~'],
  ['longer ones', `${ticks}${ticks}json\n{"a":1}\n${ticks}${ticks}`],
  ['in one line', `${ticks}json {"a":1}${ticks}`],
  ['in one line without a language', `${ticks}{"a":1}${ticks}`],
  ['only the first half', `${ticks}json  \n{"a":1}\n`],
  ['only the second half', `{"a":1}\n${ticks}\n`],
  ['only the second half, of tildes', '{"a":1}\n~~~'],
])('a fence is removed: %s', (_name, text) => {
  expect(stripFence(text)).toBe('{"a":1}');
});

test.each([
  ['none', ' {"a":1}\n'],
  ['words before it', `Here:\n${ticks}\na\n${ticks}`],
  ['words behind it', `${ticks}\na\n${ticks}\nDone.`],
  ['half of another one', `${ticks}\na\n~~~\nb`],
  ['a closing one that is shorter', `${ticks}\`\na\n${ticks}`],
  ['code in a line', `Use ${ticks}x${ticks} here`],
])('a text stays as it is: %s', (_name, text) => {
  expect(stripFence(text)).toBe(text);
});

test('a fence inside of a longer one is a part of the text', () => {
  const inner = `${ticks}js\na\n${ticks}`;
  expect(stripFence(`${ticks}\`md\n${inner}\n${ticks}\``)).toBe(inner);
});

test('the parts of a text that are in fences', () => {
  const text = `One:\n${ticks}json \n1\n${ticks}\nTwo:\n~~~\n2\n~~~\nThree: ${ticks}json [3]${ticks}`;
  expect(findFencedParts(text).map((each) => each.trim())).toEqual(['1', '2', '[3]']);
});

test('texts of fences and spaces are read in a time that grows with their length', () => {
  for (const piece of [ticks, '~~~\n', `${ticks} `, ' ', '\n', `${ticks}a`]) {
    const text = `${ticks}${piece.repeat(300_000)}`;
    expect(typeof stripFence(text)).toBe('string');
    expect(Array.isArray(findFencedParts(text))).toBe(true);
  }
});
