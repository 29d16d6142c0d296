import { expect, test } from 'vitest';
import { parseExactly } from '../../../../console/src/ui/values/exact-json.ts';

test('reads JSON as it is written', () => {
  const text = '{"a":[1,-0.5,1e21,9007199254740991,"12345678901234567891"],"__proto__":{"b":null}}';
  expect(JSON.stringify(parseExactly(text))).toBe(text.replace('1e21', '1e+21'));
});

test('refuses a whole number that would be stored as another one, and names it', () => {
  expect(() => parseExactly('{"a":[12345678901234567891]}')).toThrow(
    '12345678901234567891 has too many digits',
  );
});
