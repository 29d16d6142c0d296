import { type Note, noteKinds } from '../../core/tracing/note.ts';
import type { SpanStatus } from '../../domain/runs/trace.ts';
import { omitEmpty, toModelAttributes, toStepAttributes, toToolAttributes } from './attributes.ts';
import type { SpanNode } from './span-node.ts';

const noteStatuses = { e: 'error', s: 'skipped' } as const satisfies Record<string, SpanStatus>;

/** The spans of notes. @param since Unix milliseconds from which they count. */
export const toNoteSpans = (
  notes: readonly Note[],
  { runId, path, since }: { runId: string; path: string; since: number },
): SpanNode[] =>
  notes.map((note, index) => {
    const { k, at, ms, st, in: inside = [] } = note;
    const notePath = `${path}/${index}`;
    return {
      runId,
      path: notePath,
      name: toName(note),
      kind: noteKinds[k],
      status: st ? noteStatuses[st] : 'ok',
      start: since + at,
      end: since + at + ms,
      attributes: { ...toAttributes(note), ...(st === 'e' && { 'error.type': `${noteKinds[k]}_failed` }) },
      children: toNoteSpans(inside, { runId, path: notePath, since }),
    };
  });

function toName({ k, n = '', ty }: Note): string {
  if (k === 'm') return `${ty ?? 'chat'} ${n.slice(n.indexOf('/') + 1)}`.trim();
  if (k === 't') return `execute_tool ${n}`;
  if (k === 'w') return 'wait for caller';
  return k === 'a' ? 'invoke_agent' : n;
}

function toAttributes({ k, n = '', id, x, ty, st, u = [], c, r = 'stop', f }: Note): Record<string, unknown> {
  const [inputTokens, outputTokens, cachedInputTokens, reasoningTokens] = u;
  switch (k) {
    case 'm': {
      const operation = ty === 'embeddings' ? ty : 'chat';
      const ofChat = { outputTokens, cachedInputTokens, reasoningTokens };
      const usage = { inputTokens, ...(operation === 'chat' && ofChat) };
      const failed = st === 'e';
      const stopReason = operation === 'chat' && !failed ? r : undefined;
      return toModelAttributes({ model: n, operation, ...usage, cost: c, stopReason, failed, firstMs: f });
    }
    case 't':
      return toToolAttributes({ name: n, id, type: ty });
    case 'f':
      return omitEmpty({ 'flow.id': id, 'run.id': x });
    case 's':
      return toStepAttributes(id, ty);
    case 'a':
      return omitEmpty({ 'gen_ai.operation.name': 'invoke_agent', 'run.id': id });
    case 'w':
      return {};
  }
}
