import { type Note, noteKinds } from '../../core/tracing/note.ts';
import type { SpanStatus } from '../../domain/runs/trace.ts';
import { defined, modelAttributes, stepAttributes, toolAttributes } from './attributes.ts';
import type { SpanNode } from './span-node.ts';

const statuses = { e: 'error', s: 'skipped' } as const satisfies Record<string, SpanStatus>;

/** The spans of notes. @param since Unix milliseconds from which they count. */
export const noteSpans = (
  notes: readonly Note[],
  { runId, path, since }: { runId: string; path: string; since: number },
): SpanNode[] =>
  notes.map((note, index) => {
    const { k, at, ms, st, in: inside = [] } = note;
    const own = `${path}/${index}`;
    return {
      runId,
      path: own,
      name: nameOf(note),
      kind: noteKinds[k],
      status: st ? statuses[st] : 'ok',
      start: since + at,
      end: since + at + ms,
      attributes: { ...attributesOf(note), ...(st === 'e' && { 'error.type': `${noteKinds[k]}_failed` }) },
      children: noteSpans(inside, { runId, path: own, since }),
    };
  });

function nameOf({ k, n = '', ty }: Note): string {
  if (k === 'm') return `${ty ?? 'chat'} ${n.slice(n.indexOf('/') + 1)}`.trim();
  if (k === 't') return `execute_tool ${n}`;
  if (k === 'w') return 'wait for caller';
  return k === 'a' ? 'invoke_agent' : n;
}

function attributesOf({ k, n = '', id, x, ty, st, u = [], c, r = 'stop', f }: Note): Record<string, unknown> {
  const [inputTokens, outputTokens, cachedInputTokens, reasoningTokens] = u;
  switch (k) {
    case 'm': {
      const operation = ty === 'embeddings' ? ty : 'chat';
      const ofChat = { outputTokens, cachedInputTokens, reasoningTokens };
      const usage = { inputTokens, ...(operation === 'chat' && ofChat) };
      const failed = st === 'e';
      const stopReason = operation === 'chat' && !failed ? r : undefined;
      return modelAttributes({ model: n, operation, ...usage, cost: c, stopReason, failed, firstMs: f });
    }
    case 't':
      return toolAttributes({ name: n, id, type: ty });
    case 'f':
      return defined({ 'flow.id': id, 'run.id': x });
    case 's':
      return stepAttributes(id, ty);
    case 'a':
      return defined({ 'gen_ai.operation.name': 'invoke_agent', 'run.id': id });
    case 'w':
      return {};
  }
}
