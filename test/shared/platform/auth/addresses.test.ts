import { expect, test } from 'vitest';
import { toNetwork } from '../../../../shared/platform/auth/addresses.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:DB8:0:1:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64'],
  ['2001:db8:0:1::7', '2001:db8:0:1::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['nonsense', 'nonsense'],
  [null, 'unknown'],
])('the caller at %s is identified as %s', (address, network) => {
  expect(toNetwork(address)).toBe(network);
});
