import { useCallback, useState } from 'react';
import { spanAncestors, type Trace } from './span-tree.ts';

/** All that have something inside but the run itself. */
export const closable = ({ spans }: Trace) =>
  new Set(spans.map(({ parentSpanId }) => parentSpanId ?? '').filter((id) => id && id !== spans[0]?.spanId));

/** Which spans are closed: at first the records of a batch, but not around the span of the address. */
export function useClosed(trace: Trace, selected: string | undefined) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(() => {
    const around = selected === undefined ? [] : spanAncestors(trace.spans, selected);
    const records = trace.spans.filter(({ kind, spanId }) => kind === 'record' && !around.includes(spanId));
    return new Set(records.map(({ spanId }) => spanId));
  });
  const toggle = useCallback((spanId: string) => {
    setClosed((before) => {
      const after = new Set(before);
      if (!after.delete(spanId)) after.add(spanId);
      return after;
    });
  }, []);
  return { closed, toggle, setClosed };
}
