import Big from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callCacheSavings, callCost, toShownPrice } from '../../../../shared/adapters/models/cost.ts';
import type { ModelUsage } from '../../../../shared/adapters/ports/model-port.ts';

/** An amount of units of 10^-digits as plain decimal text, by integer arithmetic alone. */
function decimal(units: bigint, digits: number): string {
  const padded = units.toString().padStart(digits + 1, '0');
  const fraction = padded.slice(-digits).replace(/0+$/, '');
  return fraction ? `${padded.slice(0, -digits)}.${fraction}` : padded.slice(0, -digits);
}

test('the cost is exact for any prices and token counts', () => {
  // Prices as they are quoted: up to four decimals of a dollar per million tokens.
  const priceUnits = fc.integer({ min: 0, max: 9_000_000 });
  const tokens = fc.integer({ min: 0, max: 2_000_000_000 });
  fc.assert(
    fc.property(priceUnits, priceUnits, tokens, tokens, (input, output, inputTokens, outputTokens) => {
      const price = { input: decimal(BigInt(input), 4), output: decimal(BigInt(output), 4) };
      const units = BigInt(input) * BigInt(inputTokens) + BigInt(output) * BigInt(outputTokens);
      expect(callCost(price, { inputTokens, outputTokens })).toBe(decimal(units, 10));
    }),
  );
});

test.each([
  [{ input: '0.25', output: '2' }, { inputTokens: 1000, outputTokens: 100 }, '0.00045'],
  [{ input: '3', output: '15' }, { inputTokens: 1, outputTokens: 0 }, '0.000003'],
  [{ input: '0.0000001', output: '0' }, { inputTokens: 1, outputTokens: 0 }, '0.0000000000001'],
  [{ input: '1', output: '1' }, { inputTokens: 0, outputTokens: 0 }, '0'],
  [
    { input: '2', output: '8', cacheRead: '0.5', cacheWrite: '2.5' },
    { inputTokens: 1000, outputTokens: 0, cacheReadTokens: 600, cacheWriteTokens: 100 },
    '0.00115',
  ],
  [{ input: '2', output: '8' }, { inputTokens: 1000, outputTokens: 0, cacheReadTokens: 600 }, '0.002'],
])('%j and %j make %s', (price, usage, cost) => {
  expect(callCost(price, usage)).toBe(cost);
});

test('the rates of a tier apply to the whole call once the input exceeds its start', () => {
  const price = {
    input: '3',
    output: '3',
    cacheRead: '1',
    tiers: [
      { above: 400_000, input: '9', output: '9', cacheRead: '2' },
      { above: 200_000, input: '6', output: '6' },
    ],
  };
  const cost = (inputTokens: number, cacheReadTokens = 0) =>
    callCost(price, { inputTokens, outputTokens: 1, cacheReadTokens });
  expect(cost(200_000)).toBe('0.600003');
  expect(cost(200_001)).toBe('1.200012');
  expect(cost(400_001)).toBe('3.600018');
  expect(cost(400_001, 400_000)).toBe('0.800018');
  // A tier without a price for cached tokens counts them like others.
  expect(cost(200_001, 200_000)).toBe('1.200012');
});

test('lists show a price per 1,000 tokens, blended three to one, without the errors of binary fractions', () => {
  expect(toShownPrice({ input: '3', output: '15' })).toEqual({ input: 0.003, output: 0.015, blended: 0.006 });
  expect(toShownPrice({ input: '0.1', output: '0.7' })).toEqual({
    input: 0.0001,
    output: 0.0007,
    blended: 0.00025,
  });
  expect(toShownPrice({ input: '0.02' })).toEqual({ input: 0.00002, output: 0, blended: 0.00002 });
});

test.each([
  ['reading saves', { cacheReadTokens: 600 }, '0.0009'],
  ['writing costs', { cacheWriteTokens: 100 }, '-0.00005'],
  ['both add up', { cacheReadTokens: 600, cacheWriteTokens: 100 }, '0.00085'],
  ['no use of a cache saves nothing', {}, undefined],
])('what a cache saved: %s', (_what, cached, saved) => {
  const price = { input: '2', output: '8', cacheRead: '0.5', cacheWrite: '2.5' };
  const usage = { inputTokens: 1_000, outputTokens: 100, ...cached };
  expect(callCacheSavings(price, usage)).toBe(saved);
  const { cacheReadTokens: _read, cacheWriteTokens: _write, ...uncached } = { ...usage } as ModelUsage;
  const difference = new Big(callCost(price, uncached) ?? 0).minus(callCost(price, usage) ?? 0);
  expect(difference.toFixed()).toBe(saved ?? '0');
});
