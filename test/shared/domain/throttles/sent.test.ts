import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { packSent, sumSeconds, unpackSent } from '../../../../shared/domain/throttles/throttle.ts';

const Sent = fc.record({
  second: fc.integer({ min: 1_760_000_000, max: 1_760_000_070 }),
  requests: fc.integer({ min: 0, max: 1_000_000 }),
  tokens: fc.integer({ min: 0, max: 1_000_000_000 }),
});

test('what was sent is read as it was written, one entry a second', () => {
  fc.assert(
    fc.property(fc.array(Sent), (sent) => {
      expect(unpackSent(packSent(sent))).toEqual(sumSeconds(sent));
    }),
  );
});

test('a minute of 6,000 calls with tokens takes less than a write unit', () => {
  const sent = Array.from({ length: 63 }, (_, index) => ({
    second: 1_760_000_000 + index,
    requests: 100,
    tokens: 90_000,
  }));
  expect(packSent(sent).length).toBeLessThan(600);
});
