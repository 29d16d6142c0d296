import { runSpanId } from '../../core/tracing/active-span.ts';
import type { Warning } from '../../core/warnings.ts';
import type { Span, SpanKind, SpanStatus } from '../../domain/runs/trace.ts';

/** A span before it has its ids. */
export interface SpanNode {
  runId: string;
  /** Its place in the run; empty for the run itself. */
  path: string;
  name: string;
  kind: SpanKind;
  status: SpanStatus;
  /** These two in Unix milliseconds. */
  start: number;
  end: number | null;
  attributes: Record<string, unknown>;
  warnings?: readonly SpanWarning[] | undefined;
  children: SpanNode[];
}

/** The words of a warning are content, as those of errors are. */
export type SpanWarning = Pick<Warning, 'code' | 'count'> & Partial<Pick<Warning, 'message'>>;

export const toSpanWarnings = (
  warnings: readonly Warning[] | undefined,
  hasContent: boolean,
): { warnings?: readonly SpanWarning[] } =>
  warnings
    ? {
        warnings: warnings.map(({ code, count, message }) => ({
          code,
          count,
          ...(hasContent && { message }),
        })),
      }
    : {};

export const spansMax = 5_000;

/**
 * Parents before children, siblings by start. What is deepest is left out first.
 * @param parentSpanId Of the span outside of the trace in which the run was started.
 */
export function flattenSpans(root: SpanNode, parentSpanId: string | null, max = spansMax) {
  const shown = takeShallowest(root, max);
  const spans: Span[] = [];
  const add = (node: SpanNode, parent: string | null): void => {
    if (!shown.has(node)) return;
    const span = toSpan(node, parent);
    spans.push(span);
    for (const child of node.children) add(child, span.spanId);
  };
  clamp(root);
  add(root, parentSpanId);
  return { spans, truncated: countSpans(root) > spans.length };
}

function takeShallowest(root: SpanNode, max: number): Set<SpanNode> {
  const shown = new Set<SpanNode>();
  for (let level = [root]; level.length > 0; level = level.flatMap(({ children }) => children)) {
    for (const node of level) if (shown.size < max) shown.add(node);
  }
  return shown;
}

const countSpans = ({ children }: SpanNode): number =>
  children.reduce((count, child) => count + countSpans(child), 1);

/** By how much a start may be off: it is often the end without the duration, both rounded. */
const startErrorMs = 2;

/**
 * Clocks and rounding differ by milliseconds: a span lies within its parent, except a wait, and what began together stays in
 * its order.
 */
function clamp(parent: SpanNode): void {
  let latest = Number.NEGATIVE_INFINITY;
  for (const child of parent.children) {
    if (child.kind !== 'wait') {
      const start = isWithin(parent, child.start);
      child.start = latest - start <= startErrorMs ? Math.max(start, latest) : start;
      latest = child.start;
      if (child.end !== null) child.end = Math.max(child.start, isWithin(parent, child.end));
      else if (parent.end !== null) child.end = parent.end;
    }
    clamp(child);
  }
  parent.children.sort((one, other) => one.start - other.start);
}

const isWithin = ({ start, end }: SpanNode, at: number) =>
  Math.min(Math.max(at, start), end ?? Number.POSITIVE_INFINITY);

const toSpan = (node: SpanNode, parentSpanId: string | null): Span => {
  const { runId, path, name, kind, status, start, end, attributes, warnings = [] } = node;
  return {
    spanId: runSpanId(runId, path),
    parentSpanId,
    name,
    kind,
    status,
    startedAt: new Date(start).toISOString(),
    endedAt: end === null ? null : new Date(end).toISOString(),
    durationMs: end === null ? null : end - start,
    attributes,
    events: warnings.map(({ code, count, message }) => ({
      name: 'warning',
      at: new Date(end ?? start).toISOString(),
      attributes: {
        'warning.code': code,
        'warning.count': count,
        ...(message !== undefined && { 'warning.message': message }),
      },
    })),
  };
};

/** The nodes of a trace, parents first. */
export function* walkNodes(node: SpanNode): Generator<SpanNode, void> {
  yield node;
  for (const child of node.children) yield* walkNodes(child);
}
