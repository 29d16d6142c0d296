import { spanIdOf } from '../../core/tracing/trace-context.ts';
import type { SpanNode } from './span-node.ts';

/** The span of a run inside of another. @param showsAgents Whether the caller may read what agents in it did. */
export function insideOf(
  root: SpanNode,
  runId: string,
  showsAgents: boolean,
): { span: SpanNode; parentSpanId: string } | undefined {
  for (const child of root.children) {
    if (child.kind === 'flow' && child.attributes['run.id'] === runId) {
      const span = showsAgents ? child : withoutAgents(child);
      return { span, parentSpanId: spanIdOf(root.runId, root.path) };
    }
    const found = insideOf(child, runId, showsAgents);
    if (found) return found;
  }
  return undefined;
}

const withoutAgents = (node: SpanNode): SpanNode => ({
  ...node,
  children: node.kind === 'agent' ? [] : node.children.map(withoutAgents),
});
