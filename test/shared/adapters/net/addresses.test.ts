import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { isAllowedHost, isPublicAddress, literalAddress } from '../../../../shared/adapters/net/addresses.ts';

test.each(['1.1.1.1', '93.184.216.34', '2606:4700:4700::1111', '2a00:1450:4001:82b::200e'])(
  '%s is public',
  (address) => {
    expect(isPublicAddress(address)).toBe(true);
  },
);

test('no address of a private IPv4 network is public, in any notation', () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const inside = fc.oneof(
    fc.tuple(fc.constantFrom(0, 10, 127, 224, 239, 240, 255), octet, octet, octet),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
    fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
    fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
    fc.tuple(fc.constant(198), fc.constantFrom(18, 19), octet, octet),
  );
  fc.assert(
    fc.property(inside, ([a, b, c, d]) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      const hex = number.toString(16).padStart(8, '0');
      const groups = `${hex.slice(0, 4)}:${hex.slice(4)}`;
      const hosts = [
        `${a}.${b}.${c}.${d}`,
        String(number),
        `0x${hex}`,
        `0${a.toString(8)}.${b}.${c * 256 + d}`,
        `[::ffff:${a}.${b}.${c}.${d}]`,
        `[::ffff:${groups}]`,
        `[::${groups}]`,
        `[64:ff9b::${groups}]`,
        `[64:ff9b:1::${groups}]`,
        `[2002:${groups}::1]`,
        `[::ffff:0:${groups}]`,
      ];
      for (const host of hosts) {
        const address = literalAddress(new URL(`http://${host}/`));
        expect(isPublicAddress(address ?? ''), host).toBe(false);
      }
    }),
  );
});

test('an allowed host matches name and port', () => {
  vi.stubEnv('ALLOWED_HOSTS', '127.0.0.1:4010, LOCALHOST:80,[::1]:9');
  const allowed = (url: string) => isAllowedHost(new URL(url));
  expect(['http://127.0.0.1:4010/a', 'http://localhost/', 'http://[::1]:9/'].map(allowed)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['http://127.0.0.1:4011', 'https://localhost/', 'http://127.0.0.1'].map(allowed)).toEqual([
    false,
    false,
    false,
  ]);
  vi.stubEnv('ALLOWED_HOSTS', '');
  expect(allowed('http://127.0.0.1:4010')).toBe(false);
});
