import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatContext,
  formatTraceparent,
  parseTraceparent,
  readContext,
  runSpanId,
  runTraceId,
} from '../../../shared/core/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';
const context = { traceId, spanId };

test.each([
  ['of the version of today', `00-${traceId}-${spanId}-01`],
  ['that is not sampled', `00-${traceId}-${spanId}-00`],
  ['of a later version', `01-${traceId}-${spanId}-01`],
  ['of a later version, which says more', `01-${traceId}-${spanId}-01-more`],
])('a header %s is read', (_, header) => {
  expect(parseTraceparent(header)).toEqual(context);
});

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['capitals', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['the version ff', `ff-${traceId}-${spanId}-01`],
  ['more than the version of today has', `00-${traceId}-${spanId}-01-more`],
  ['a later version that goes on without a dash', `01-${traceId}-${spanId}-01more`],
  ['a short trace', `00-${traceId.slice(1)}-${spanId}-01`],
  ['a space before', ` 00-${traceId}-${spanId}-01`],
  ['a line after', `00-${traceId}-${spanId}-01\n`],
  ['two headers in one', `00-${traceId}-${spanId}-01,00-${traceId}-${spanId}-01`],
])('%s is ignored', (_, header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});

test('what is sent and what is stored is read again, for the ids of any run', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (runId, path) => {
      const own = { traceId: runTraceId(runId), spanId: runSpanId(runId, path) };
      expect(parseTraceparent(formatTraceparent(own))).toEqual(own);
      expect(readContext(formatContext(own))).toEqual(own);
      expect(runSpanId(runId, path)).toBe(own.spanId);
    }),
  );
});
