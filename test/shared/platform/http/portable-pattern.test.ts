import { expect, test } from 'vitest';
import { toPortablePattern } from '../../../../shared/platform/http/openapi-schemas.ts';
import { whyNotPortable } from '../../../support/files/portable-patterns.ts';

const everyCharacter = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));

test.each([
  ['^\\d+$', '^[0-9]+$'],
  ['^\\D$', '^[^0-9]$'],
  ['^[\\w$-]*$', '^[A-Za-z0-9_$-]*$'],
  ['^\\P{Cc}*$', '^[^\\x00-\\x1F\\x7F-\\x9F]*$'],
  ['^[\\p{Cc}x]$', '^[\\x00-\\x1F\\x7F-\\x9Fx]$'],
  ['^\\\\d\\[\\d\\]$', '^\\\\d\\[[0-9]\\]$'],
])('%s becomes %s, which is portable across engines', (source, portable) => {
  expect(toPortablePattern(source)).toBe(portable);
  expect(whyNotPortable(portable)).toEqual([]);
});

test.each(['\\d', '\\D', '\\w', '\\W', '\\p{Cc}', '\\P{Cc}'])(
  'the portable form of %s matches the same characters',
  (set) => {
    const own = new RegExp(`^${set}$`, 'u');
    const portable = new RegExp(`^${toPortablePattern(set)}$`, 'u');
    expect(everyCharacter.filter((character) => own.test(character) !== portable.test(character))).toEqual(
      [],
    );
  },
);

test.each([
  '^\\d$',
  '^\\w$',
  '^\\s$',
  '^.$',
  '^\\p{Lu}$',
  '^\\P{Cc}$',
  '^[\\d]$',
  '^[\\W]$',
  '^(?=a)a$',
  '^(?!a)b$',
  '^(?<=a)b$',
  '^(?<name>a)$',
  '^(a)\\1$',
  '^(?i:a)$',
  '^a\\b$',
  '^\\u0041$',
  '^\\u{41}$',
  '^\\cA$',
  '^\\0$',
  '^é$',
  '^[]$',
  '^[^]$',
  '^[a[b]$',
  '^[a&&b]$',
  '^a{1001}$',
  '^[^a]{2}$',
  'a',
  '^a|b$',
  '^a{$',
  '^a{,2}$',
  '^]$',
  '^\\a$',
  '^(',
])('%s is detected as not portable', (source) => {
  expect(whyNotPortable(source)).not.toEqual([]);
});
