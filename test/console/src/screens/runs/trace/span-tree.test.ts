import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildSpanTree,
  failedSpan,
  type Span,
  spanAncestors,
  visibleRows,
} from '../../../../../../console/src/screens/runs/trace/span-tree.ts';

/** Each span has one before it as its parent, or one that is not in the trace. */
const spans = fc.array(fc.nat(), { maxLength: 60 }).map((numbers) =>
  numbers.map((number, index) => ({
    spanId: `${index}`,
    parentSpanId: index === 0 || number % 10 === 0 ? 'elsewhere' : `${number % index}`,
  })),
);

test('with everything open, each span has one row, right below its parent or a sibling of it', () => {
  fc.assert(
    fc.property(spans, (given) => {
      const rows = visibleRows(buildSpanTree(given), new Set());
      expect(rows.map(({ span }) => span.spanId).toSorted()).toEqual(
        given.map(({ spanId }) => spanId).toSorted(),
      );
      for (const [index, { span, level }] of rows.entries()) {
        const parent = rows.slice(0, index).findLast((row) => row.level < level);
        expect(level).toBe((parent?.level ?? 0) + 1);
        if (parent) expect(span.parentSpanId).toBe(parent.span.spanId);
      }
    }),
  );
});

test('a closed span hides what is inside of it at any depth, and nothing else', () => {
  fc.assert(
    fc.property(spans, fc.nat(), (given, number) => {
      fc.pre(given.length > 0);
      const closed = `${number % given.length}`;
      const shown = visibleRows(buildSpanTree(given), new Set([closed])).map(({ span }) => span.spanId);
      const expected = given.filter(({ spanId }) => !spanAncestors(given, spanId).includes(closed));
      expect(shown.toSorted()).toEqual(expected.map(({ spanId }) => spanId).toSorted());
    }),
  );
});

test('rows say their place among their siblings', () => {
  const given = [
    { spanId: 'a', parentSpanId: null },
    { spanId: 'b', parentSpanId: 'a' },
    { spanId: 'c', parentSpanId: 'a' },
  ];
  const rows = visibleRows(buildSpanTree(given), new Set());
  expect(rows.map(({ place, siblings, level }) => [level, place, siblings])).toEqual([
    [1, 1, 1],
    [2, 1, 2],
    [2, 2, 2],
  ]);
});

test('5,000 spans, each inside of the one before, make rows without an overflow', () => {
  const given = Array.from({ length: 5_000 }, (_, n) => ({
    spanId: `${n}`,
    parentSpanId: n ? `${n - 1}` : null,
  }));
  expect(visibleRows(buildSpanTree(given), new Set()).at(-1)?.level).toBe(5_000);
});

test('the failure of a run is the innermost span that failed', () => {
  const span = (spanId: string, parentSpanId: string | null, status: string) =>
    ({ spanId, parentSpanId, status }) as Span;
  const given = [
    span('run', null, 'error'),
    span('ok', 'run', 'ok'),
    span('step', 'run', 'error'),
    span('call', 'step', 'error'),
  ];
  expect(failedSpan(given)?.spanId).toBe('call');
  expect(failedSpan([span('run', null, 'ok')])).toBeUndefined();
});
