import { useCall } from '../../../api/queries.ts';
import type { Trace } from './span-tree.ts';

const goesOn = (trace: Trace | undefined) =>
  trace?.spans.some(({ status }) => status === 'running' || status === 'waiting') ?? false;

/**
 * The trace of a run, live while the run is open. First the spans, then the same with their prompts and outputs, which
 * may take 2 MB.
 */
export function useTrace(runId: string, isOpen: boolean) {
  const params = { id: runId };
  const everyMs = (trace: Trace | undefined) => (isOpen || goesOn(trace) ? 2_000 : false);
  const plain = useCall('runs.trace', { params }, { everyMs });
  const full = useCall(
    'runs.trace',
    { params, query: { include: 'content' } },
    { enabled: plain.data !== undefined, everyMs: isOpen && 6_000 },
  );
  const byId = new Map(full.data?.spans.map((span) => [span.spanId, span]));
  return {
    ...plain,
    isContentLoading: full.isLoading,
    contentError: full.error,
    contentOf: (spanId: string) => byId.get(spanId)?.attributes,
  };
}
