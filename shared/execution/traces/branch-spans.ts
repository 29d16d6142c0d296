import type { SpanNode } from './span-node.ts';

/**
 * The spans of the steps on the highest level. Those of a branch are in the span of the step that chose it, which lasts as
 * long as they do. @param spans By their paths: `2`, or `2.true.0` in a branch.
 */
export function branchesInside(spans: ReadonlyMap<string, SpanNode>): SpanNode[] {
  const highest: SpanNode[] = [];
  // From the end, so that a branch has its end before the step around it takes it over.
  for (const [path, span] of [...spans].reverse()) {
    const around = spans.get(path.split('.').slice(0, -2).join('.'));
    if (around) takeIn(around, span);
    else highest.unshift(span);
  }
  return highest;
}

function takeIn(around: SpanNode, span: SpanNode): void {
  around.children.unshift(span);
  if (span.end === null || around.end === null) around.end = null;
  else around.end = Math.max(around.end, span.end);
  if (span.status === 'waiting') around.status = 'waiting';
}
