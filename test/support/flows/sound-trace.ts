import { expect } from 'vitest';
import type { Span, Trace } from '../../../shared/domain/runs/trace.ts';

const timesOf = ({ startedAt, endedAt }: Span) =>
  [Date.parse(startedAt), endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(endedAt)] as const;

/** Ids are unique, parents come first, siblings are in order, and a span lies within its parent, except a wait. */
export function expectSound({ traceId, spans }: Pick<Trace, 'traceId' | 'spans'>): void {
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  const seen = new Map<string, Span>();
  const lastStart = new Map<string | null, number>();
  for (const [index, span] of spans.entries()) {
    const { spanId, parentSpanId, durationMs } = span;
    expect(spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(seen.has(spanId), `${span.name} has the id of ${seen.get(spanId)?.name}`).toBe(false);
    const [start, end] = timesOf(span);
    expect(durationMs).toBe(span.endedAt === null ? null : end - start);
    expect(end).toBeGreaterThanOrEqual(start);
    const parent = seen.get(parentSpanId ?? '');
    if (index > 0) expect(parent, `${span.name} comes before its parent`).toBeDefined();
    if (parent && span.kind !== 'wait') {
      const [from, to] = timesOf(parent);
      expect(start, `${span.name} begins before ${parent.name}`).toBeGreaterThanOrEqual(from);
      expect(end, `${span.name} ends after ${parent.name}`).toBeLessThanOrEqual(to);
    }
    expect(start).toBeGreaterThanOrEqual(lastStart.get(parentSpanId) ?? 0);
    lastStart.set(parentSpanId, start);
    seen.set(spanId, span);
  }
}

/** A line for each span, indented: its kind, name and status. */
export function traceOutline({ spans }: Pick<Trace, 'spans'>, withTimes = false): string {
  const levels = new Map<string | null, number>();
  const first = Date.parse(spans[0]?.startedAt ?? '');
  return spans
    .map((span) => {
      const { spanId, parentSpanId, kind, name, status, durationMs, startedAt } = span;
      const level = (levels.get(parentSpanId) ?? -1) + 1;
      levels.set(spanId, level);
      const times = withTimes ? ` @${Date.parse(startedAt) - first} +${durationMs ?? '…'}` : '';
      return `${'  '.repeat(level)}${kind} ${name}${status === 'ok' ? '' : ` (${status})`}${times}`;
    })
    .join('\n');
}
