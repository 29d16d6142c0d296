import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  parseAddressFilters,
  type RunFilters,
  runsQuery,
} from '../../../../../../console/src/screens/runs/data/filters.ts';

const id = (prefix: string) => `${prefix}_01k9m4v7d3x8qz5w2r6t0y1hbn`;
const text = fc.string({ minLength: 1, maxLength: 40 }).filter((each) => each.isWellFormed());
const time = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString());

const anyFilters = fc.record(
  {
    status: fc.constantFrom('failed', 'running,paused'),
    started: fc.constantFrom('1h', '30d'),
    flowId: fc.constant(id('flow')),
    toolId: fc.constantFrom(id('tool'), 'builtin:calculator'),
    parentRunId: fc.constantFrom(id('batch'), id('exec')),
    error: text,
    tag: fc.oneof(text, fc.constantFrom('1', 'true', 'null', '{}', '1e3')),
    minDurationMs: fc.nat().map(String),
    minCost: fc.constantFrom('0.5', '12'),
    from: time,
    root: fc.constant('false'),
  },
  { requiredKeys: [] },
);

/** Through the address and back. */
const throughAddress = (filters: RunFilters) =>
  parseAddressFilters(defaultParseSearch(defaultStringifySearch(filters)));

test('an address keeps every filter as it was set', () => {
  fc.assert(
    fc.property(anyFilters, (filters) => {
      expect(throughAddress(filters as RunFilters)).toEqual({ filters, problems: [] });
    }),
  );
});

test.each([
  ['flow', 'x', 'There is no filter “flow”'],
  ['status', 'ok', /^Status: “ok” is not one of scheduled, running/],
  ['status', '', /^Status: /],
  ['kind', ['flow'], /^Kind: /],
  ['flowId', id('agent'), /^Flow: .*flow_…/],
  ['started', '2h', /^Started: “2h”/],
  ['from', '2026-11-26', /^Started after: .*zone/],
  ['to', '2026-13-26T00:00:00Z', /^Started before: /],
  ['minCost', -1, /^Cost at least: /],
  ['minDurationMs', 1.5, /^Duration at least: /],
  ['tag', '', /^Tag: /],
])('%s=%j in an address is refused, with the reason', (name, value, reason) => {
  const { problems } = parseAddressFilters({ [name]: value });
  expect(problems).toEqual([expect.stringMatching(reason)]);
});

test('a range that ends before it begins is refused', () => {
  const { problems } = parseAddressFilters({ from: '2026-11-26T10:00:00Z', to: '2026-11-26T09:00:00Z' });
  expect(problems).toHaveLength(1);
});

test('the run beside the list is no filter', () => {
  expect(parseAddressFilters({ preview: id('exec') })).toEqual({ filters: {}, problems: [] });
});

test('a range of time is sent as its begin, and an explicit one that is later counts', () => {
  const now = Date.parse('2026-11-26T10:00:00Z');
  expect(runsQuery({ started: '1h', status: 'failed' }, now)).toEqual({
    status: 'failed',
    from: '2026-11-26T09:00:00.000Z',
  });
  const from = '2026-11-26T09:30:00.000Z';
  expect(runsQuery({ started: '1h', from }, now)).toEqual({ from });
});
