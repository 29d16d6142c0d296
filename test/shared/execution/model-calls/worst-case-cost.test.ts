import Big from 'big.js';
import { expect, test } from 'vitest';
import {
  getAffordableTokens,
  getLongestResponse,
  getWorstCaseCost,
} from '../../../../shared/execution/model-calls/call-cost.ts';

const prices = [
  { above: 0, input: '3', output: '15' },
  { above: 200_000, input: '6', output: '22.5' },
];
const limits = { contextTokens: 1_000_000, outputTokens: 8_000, prices };
const usd = (inputTokens: number, maxTokens?: number, more: object = {}) =>
  getWorstCaseCost({ inputTokens, maxTokens }, { ...limits, ...more })?.toFixed();

test('the worst case is all input at the highest rate and the longest response', () => {
  expect(usd(1_000)).toBe('0.123');
  expect(usd(1_000, 100)).toBe('0.0045');
  expect(usd(1_000, 100_000)).toBe('0.123');
});

test('the rates are those of the tier that the input reaches', () => {
  expect(usd(200_000, 0)).toBe('0.6');
  expect(usd(200_001, 0)).toBe('1.200006');
});

test('the limit of the config applies to requests without one', () => {
  expect(usd(0, undefined, { maxTokens: 10 })).toBe('0.00015');
  expect(usd(0, 20, { maxTokens: 10 })).toBe('0.0003');
});

test('a response ends at the end of the context', () => {
  expect(getLongestResponse({ inputTokens: 900 }, { contextTokens: 1_000 })).toBe(100);
  expect(getLongestResponse({ inputTokens: 1_100 }, { contextTokens: 1_000, outputTokens: 50 })).toBe(0);
});

test('without a price or any limit the cost is unknown', () => {
  expect(usd(10, 10, { prices: undefined })).toBeUndefined();
  expect(getWorstCaseCost({ inputTokens: 10 }, { prices })).toBeUndefined();
});

test('a budget pays for the input first, and for no more of the response than is left', () => {
  const call = { inputTokens: 1_000 };
  expect(getAffordableTokens(new Big('0.0045'), call, limits)).toBe(100);
  expect(getAffordableTokens(new Big('0.00451499'), call, limits)).toBe(100);
  expect(getAffordableTokens(new Big('0.003'), call, limits)).toBe(0);
  expect(getAffordableTokens(new Big('0.001'), call, limits)).toBe(0);
  expect(getAffordableTokens(new Big('1'), call, {})).toBeUndefined();
  expect(
    getAffordableTokens(new Big('1'), call, { prices: [{ above: 0, input: '0', output: '0' }] }),
  ).toBeUndefined();
  const most = getAffordableTokens(new Big('0.01'), call, limits) ?? 0;
  const cost = getWorstCaseCost({ ...call, maxTokens: most }, limits);
  expect(cost?.lte('0.01')).toBe(true);
});
