import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  generateKey,
  getKeyEnvironment,
  hashKey,
  isWellFormedKey,
} from '../../../../shared/platform/auth/key-format.ts';

test('a generated key has the specified format and is well-formed', () => {
  for (const environment of ['production', 'test'] as const) {
    const key = generateKey(environment);
    expect(key).toMatch(environment === 'test' ? /^tv_test_[0-9A-Za-z]{49}$/ : /^tv_live_[0-9A-Za-z]{49}$/);
    expect(isWellFormedKey(key)).toBe(true);
    expect(getKeyEnvironment(key)).toBe(environment);
    expect(hashKey(key)).toMatch(/^[0-9a-f]{64}$/);
  }
});

test('generated keys are unique', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => generateKey('production'))).size).toBe(1_000);
});

test('the checksum rejects a key with one changed character', () => {
  const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  fc.assert(
    fc.property(fc.integer({ min: 8, max: 56 }), fc.constantFrom(...base62), (place, character) => {
      const key = generateKey('production');
      const changed = key.slice(0, place) + character + key.slice(place + 1);
      return isWellFormedKey(changed) === (changed === key);
    }),
  );
});

test('any other text is not a key', () => {
  fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text)));
  expect(isWellFormedKey('')).toBe(false);
  expect(isWellFormedKey(`${generateKey('test')}\n`)).toBe(false);
});
