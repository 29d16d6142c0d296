import fc from 'fast-check';
import { expect, test } from 'vitest';
import { operators } from '../../../../shared/core/filters/filter.ts';
import { matches } from '../../../../shared/core/filters/matches.ts';
import { refMatches } from '../../domain/records/reference-filter.ts';
import { conditionOn, fields, filterOn, instants, metadata } from './arbitrary-filters.ts';

const condition = conditionOn(fields);
const filter = filterOn(fields);

const recordWith = (given: Record<string, unknown>) => ({
  type: 't',
  name: 'n',
  createdAt: '',
  updatedAt: '',
  metadata: given,
});

test('a condition matches the same records as a naive evaluator', () => {
  const answers = new Set<string>();
  fc.assert(
    fc.property(metadata, condition, instants, (given, where, now) => {
      const expected = refMatches(given, where, now);
      answers.add(`${where.op}: ${expected}`);
      expect(matches(recordWith(given), where, now)).toBe(expected);
    }),
    { numRuns: 40_000 },
  );
  // The property says something only where each operator answered both.
  expect(operators.filter((op) => !answers.has(`${op}: true`) || !answers.has(`${op}: false`))).toEqual([]);
});

test('groups of conditions match the same records as the naive evaluator', () => {
  fc.assert(
    fc.property(metadata, filter, instants, (given, where, now) => {
      expect(matches(recordWith(given), where, now)).toBe(refMatches(given, where, now));
    }),
    { numRuns: 3_000 },
  );
});
