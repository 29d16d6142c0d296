import Big from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { toCountedWarning, type WarningCode } from '../../../../shared/core/warnings.ts';
import { addTotals, noTotals, toRunTokens } from '../../../../shared/domain/runs/run-use.ts';
import { toSketch } from '../../../../shared/domain/runs/sketch.ts';
import {
  type CountedRecord,
  SlotItem,
  sumSlotTotals,
  toSlotCounters,
} from '../../../../shared/execution/batches/slot-counters.ts';

const tokenCounts = {
  inputTokens: fc.nat(5_000),
  outputTokens: fc.nat(500),
  cachedInputTokens: fc.nat(100),
  reasoningTokens: fc.nat(50),
};
const tokens = fc.record({
  input: fc.nat(5_000),
  output: fc.nat(500),
  cachedInput: fc.nat(100),
  reasoning: fc.nat(50),
});
const cost = fc.nat(1_000_000).map((units) => new Big(units).div(1e9));
const savings = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((units) => new Big(units).div(1e9));
const use = fc.dictionary(
  fc.constantFrom('openai/gpt-5-mini', 'generic-openai/llama3.2:1b', 'anthropic/claude'),
  fc.record({
    calls: fc.integer({ min: 1, max: 3 }),
    failed: fc.nat(1),
    tokens,
    cost: fc.option(cost.map(String), { freq: 4 }),
    durations: fc.array(fc.nat(60_000), { maxLength: 3 }).map(toSketch),
  }),
);
const warnings = fc.array(
  fc.constantFrom<WarningCode>('ANSWER_CUT', 'TOOLS_MISSING').map((code) => toCountedWarning(code, 2)),
  { maxLength: 3 },
);
const record: fc.Arbitrary<CountedRecord> = fc.record({
  failed: fc.boolean(),
  isCounted: fc.boolean(),
  durationMs: fc.nat(600_000),
  totals: fc.record({
    ...tokenCounts,
    cost,
    saved: cost,
    cacheSavings: savings,
    unpriced: fc.nat(1),
    use,
    warnings,
  }),
});

/** What DynamoDB makes of an update with ADD and if_not_exists. */
function applied(slot: Record<string, unknown>, { add, setOnce }: ReturnType<typeof toSlotCounters>) {
  for (const [name, count] of Object.entries(add)) {
    slot[name] = Number(new Big(Number(slot[name] ?? 0)).plus(count));
  }
  for (const [name, value] of Object.entries(setOnce)) slot[name] ??= value;
}

test('what slots count adds up to what their records took, whatever came together', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(record, { maxLength: 4 }), { maxLength: 8 }),
      fc.nat(40),
      (groups, hours) => {
        const batchId = newId('batch');
        const slots: Record<string, unknown>[] = [{}, {}, {}];
        for (const [index, group] of groups.entries()) {
          const now = new Date(Date.now() + hours * index * 3_600_000);
          applied(slots[index % 3] as object as Record<string, unknown>, toSlotCounters(batchId, group, now));
        }
        const all = groups.flat();
        const { totals, records } = sumSlotTotals(slots.map((slot) => SlotItem.parse(slot)));
        const expected = all.map((each) => each.totals).reduce(addTotals, noTotals);
        expect(toRunTokens(totals)).toEqual(toRunTokens(expected));
        expect(totals.cost.toFixed()).toBe(expected.cost.toFixed());
        expect(totals.saved.toFixed()).toBe(expected.saved.toFixed());
        expect(totals.cacheSavings.toFixed()).toBe(expected.cacheSavings.toFixed());
        expect(totals.unpriced).toBe(expected.unpriced);
        expect(new Set(Object.keys(totals.use))).toEqual(new Set(Object.keys(expected.use)));
        for (const [model, own] of Object.entries(totals.use)) {
          const other = expected.use[model];
          expect({ ...own, cost: own.cost && new Big(own.cost).toFixed() }).toEqual({
            ...other,
            cost: other?.cost && new Big(other.cost).toFixed(),
          });
        }
        const counted = all.filter(({ isCounted }) => isCounted);
        const sum = (of: 'completed' | 'failed') =>
          Object.values(records).reduce((total, hour) => total + hour[of], 0);
        expect(sum('failed')).toBe(counted.filter(({ failed }) => failed).length);
        expect(sum('completed')).toBe(counted.filter(({ failed }) => !failed).length);
        const durations = Object.values(records).flatMap((hour) => Object.values(hour.durations));
        expect(durations.reduce((total, times) => total + times, 0)).toBe(counted.length);
      },
    ),
  );
});

test('a long batch keeps its hours apart for six hours, and then windows of six', () => {
  const batchId = newId('batch');
  const names = new Set<string>();
  const ended = { failed: false, isCounted: true, durationMs: 5, totals: noTotals };
  for (let hour = 0; hour < 48; hour++) {
    const now = new Date(Date.now() + hour * 3_600_000);
    for (const name of Object.keys(toSlotCounters(batchId, [ended], now).add)) names.add(name);
  }
  expect(names.size).toBe(6 + 7);
});
