import { runSpanId } from '../../core/tracing/trace-context.ts';
import type { RunKind } from '../../domain/runs/run.ts';
import type { SpanNode } from './span-node.ts';

/** The span of a run inside of another, and that of what is around it. */
export function findInsideSpan(
  root: SpanNode,
  runId: string,
): { span: SpanNode; parentSpanId: string } | undefined {
  for (const child of root.children) {
    if (child.kind === 'flow' && child.attributes['run.id'] === runId)
      return { span: child, parentSpanId: runSpanId(root.runId, root.path) };
    const found = findInsideSpan(child, runId);
    if (found) return found;
  }
  return undefined;
}

/** Of runs inside whose kind the caller may not read, there is nothing but when they ran. */
export function onlyReadable(node: SpanNode, kinds: readonly RunKind[]): SpanNode {
  const isHidden = (node.kind === 'agent' || node.kind === 'flow') && !kinds.includes(node.kind);
  if (!isHidden) return { ...node, children: node.children.map((child) => onlyReadable(child, kinds)) };
  const { 'run.id': id, 'error.type': error } = node.attributes;
  const attributes = {
    ...(id !== undefined && { 'run.id': id }),
    ...(error !== undefined && { 'error.type': error }),
  };
  return { ...node, name: node.kind, attributes, children: [] };
}
