import type { OperationResponse } from '../../../api/api.ts';

export type Trace = OperationResponse<'runs.trace'>;
export type Span = Trace['spans'][number];
type Placed = Pick<Span, 'spanId' | 'parentSpanId'>;

export interface SpanTree<S extends Placed = Span> {
  roots: S[];
  /** By the id of the span around them, in the order of their starts. */
  children: Map<string, S[]>;
}

/** A span whose parent is not in the trace stands at the top: nothing is lost. */
export function buildSpanTree<S extends Placed>(spans: readonly S[]): SpanTree<S> {
  const roots: S[] = [];
  const children = new Map<string, S[]>();
  const uniqueIds = new Set<string>();
  for (const span of spans) {
    const { spanId, parentSpanId } = span;
    // Parents come first, so there are no circles.
    const siblings =
      parentSpanId !== null && uniqueIds.has(parentSpanId) ? children.get(parentSpanId) : roots;
    siblings?.push(span);
    uniqueIds.add(spanId);
    children.set(spanId, []);
  }
  return { roots, children };
}

export interface SpanRow<S extends Placed = Span> {
  span: S;
  /** 1 at the top, as `aria-level` counts. */
  level: number;
  /** Among its siblings, from 1 on. */
  place: number;
  siblings: number;
  hasChildren: boolean;
  isOpen: boolean;
}

/** The rows that are shown: all spans, but those inside of closed ones. */
export function visibleRows<S extends Placed>(
  { roots, children }: SpanTree<S>,
  closed: ReadonlySet<string>,
): SpanRow<S>[] {
  const rows: SpanRow<S>[] = [];
  // A trace may be deeper than the stack of calls.
  const left: SpanRow<S>[] = [];
  const add = (spans: readonly S[], level: number) => {
    for (let index = spans.length - 1; index >= 0; index--) {
      const span = spans[index] as S;
      const hasChildren = (children.get(span.spanId) ?? []).length > 0;
      const isOpen = hasChildren && !closed.has(span.spanId);
      left.push({ span, level, place: index + 1, siblings: spans.length, hasChildren, isOpen });
    }
  };
  add(roots, 1);
  for (let row = left.pop(); row; row = left.pop()) {
    rows.push(row);
    if (row.isOpen) add(children.get(row.span.spanId) ?? [], row.level + 1);
  }
  return rows;
}

/** The spans around one, the nearest first. */
export function spanAncestors(spans: readonly Placed[], spanId: string): string[] {
  const parents = new Map(spans.map((span) => [span.spanId, span.parentSpanId]));
  const ids: string[] = [];
  for (let id = parents.get(spanId); id && parents.has(id) && !ids.includes(id); id = parents.get(id))
    ids.push(id);
  return ids;
}

/** Where the run failed: the first span with an error that has none inside. */
export function failedSpan(spans: readonly Span[]): Span | undefined {
  const failed = spans.filter(({ status }) => status === 'error');
  const around = new Set(failed.map(({ parentSpanId }) => parentSpanId));
  return failed.find(({ spanId }) => !around.has(spanId));
}
