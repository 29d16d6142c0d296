import type { Attempt } from '../../domain/flows/steps/attempt.ts';
import type { SpanNode } from './span-node.ts';

/** Attempts, and the pauses between them. Before 2026-11-26 their starts were not stored: then they follow each other. */
export function toAttemptSpans(
  attempts: readonly Attempt[],
  { runId, path, end }: { runId: string; path: string; end: number },
): SpanNode[] {
  const spans: SpanNode[] = [];
  let next = end - attempts.reduce((sum, { durationMs, delayMs = 0 }) => sum + durationMs + delayMs, 0);
  for (const [index, attempt] of attempts.entries()) {
    const { type, model, delayMs = 0, durationMs, status } = attempt;
    const start = attempt.startedAt ? Date.parse(attempt.startedAt) : next + delayMs;
    if (delayMs > 0) {
      const kind = { name: 'delay', kind: 'wait' as const, status: 'ok' as const, attributes: {} };
      spans.push({
        ...kind,
        runId,
        children: [],
        path: `${path}/delay/${index}`,
        start: start - delayMs,
        end: start,
      });
    }
    next = start + durationMs;
    spans.push({
      runId,
      children: [],
      path: `${path}/attempt/${index}`,
      name: `attempt ${index + 1}`,
      kind: 'attempt',
      status: status === 'completed' ? 'ok' : 'error',
      start,
      end: next,
      attributes: {
        'attempt.type': type,
        ...(model && { 'gen_ai.request.model': model }),
        ...(status !== 'completed' && {
          'error.type': status === 'empty' ? 'empty_output' : 'attempt_failed',
        }),
      },
    });
  }
  return spans;
}

/** What happened during an attempt is inside of it. */
export function moveIntoAttempts(attempts: readonly SpanNode[], notes: readonly SpanNode[]): SpanNode[] {
  const outside = notes.filter((note) => {
    const attempt = attempts.findLast(({ kind, start }) => kind === 'attempt' && start <= note.start);
    attempt?.children.push(note);
    return !attempt;
  });
  return [...attempts, ...outside];
}
