import { expect, test } from 'vitest';
import { parseMailboxes } from '../../../../shared/adapters/messages/mailboxes.ts';

test.each([
  ['ada@example.com', ['ada@example.com']],
  [' ada@example.com , bob+x@mail.example.com,', ['ada@example.com', 'bob+x@mail.example.com']],
  ['Ada <ada@example.com>', ['"Ada" <ada@example.com>']],
  ['<ada@example.com>', ['ada@example.com']],
  [
    '"Lovelace, Ada \\"Countess\\"" <ada@example.com>, bob@example.com',
    ['"Lovelace, Ada \\"Countess\\"" <ada@example.com>', 'bob@example.com'],
  ],
  ['ada@bücher.example', ['ada@xn--bcher-kva.example']],
  ['Zoë <zoe@example.com>', ['=?UTF-8?B?Wm/Dqw==?= <zoe@example.com>']],
  ['', []],
])('%j contains %j', (text, mailboxes) => {
  expect(parseMailboxes(text)).toEqual(mailboxes);
});

test.each([
  ['blanks before no address', `a${' '.repeat(4_000_000)}b`],
  ['quotes that nothing closes', '"a'.repeat(2_000_001)],
  ['escaped quotes', '\\"'.repeat(2_000_000)],
])('%s are rejected in linear time', (_what, text) => {
  expect(() => parseMailboxes(text)).toThrow('is not an email address');
});

test('a long display name becomes valid RFC 2047 encoded words, none cut inside a character', () => {
  const name = '🙂é'.repeat(40);
  const [mailbox = ''] = parseMailboxes(`${name} <a@example.com>`);
  const words = mailbox.split(' ').slice(0, -1);
  for (const word of words) expect(word.length).toBeLessThanOrEqual(75);
  const texts = words.map((word) => Buffer.from(word.slice(10, -2), 'base64').toString());
  expect(texts.join('')).toBe(name);
});

test.each([
  'ada',
  '@example.com',
  'ada@',
  'ada @example.com',
  'ada@exa mple.com',
  'a@b@c.example',
  'Ada <ada@example.com> bob@example.com',
  'Ada <ada@example.com',
  'ädä@example.com',
  'ada@example.com;bob@example.com',
  `${'x'.repeat(250)}@example.com`,
])('%j is rejected with the invalid part', (text) => {
  expect(() => parseMailboxes(text)).toThrow(/ is not an email address$/);
});

test.each(['\r', '\n', '\0', '\u2028', '\t'])('%j cannot inject a header', (character) => {
  expect(() => parseMailboxes(`ada@example.com${character}Bcc: eve@example.com`)).toThrow(
    /must not contain line breaks/,
  );
  expect(() => parseMailboxes(`"Ada${character}Bcc: eve" <ada@example.com>`)).toThrow(
    /must not contain line breaks/,
  );
});
