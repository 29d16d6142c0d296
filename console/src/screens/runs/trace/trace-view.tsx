import { useCallback, useMemo } from 'react';
import { runTexts } from '../../../texts/runs.ts';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { RunContents } from '../content/run-content.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { isUnfinished } from '../data/use-runs.ts';
import { spanFailureReason } from './reason.ts';
import { RunSpan } from './run-span.tsx';
import { SpanDetail, SpanTitle } from './span-detail.tsx';
import { buildSpanTree, type Span, spanAncestors, type Trace, visibleRows } from './span-tree.ts';
import { timeScale } from './time-scale.ts';
import { TraceHead } from './trace-head.tsx';
import { useClosed } from './use-closed.ts';
import { useSelectedSpan } from './use-selected-span.ts';
import { useTrace } from './use-trace.ts';
import { Waterfall } from './waterfall.tsx';
import '../../../style/trace.css';

/** What happened in a run, over time, and what is known of the part that is selected. */
export function TraceView({ run }: { run: RunDetails }) {
  const trace = useTrace(run.id, isUnfinished(run));
  return (
    <section aria-labelledby="trace">
      <Loaded of={trace}>{(known) => <Spans run={run} trace={known} source={trace} />}</Loaded>
    </section>
  );
}

interface Props {
  run: RunDetails;
  trace: Trace;
  source: ReturnType<typeof useTrace>;
}

function Spans({ run, trace, source }: Props) {
  const { spans } = trace;
  const tree = useMemo(() => buildSpanTree(spans), [spans]);
  const [selected, select] = useSelectedSpan();
  const { closed, toggle, setClosed } = useClosed(trace, selected);
  const rows = useMemo(() => visibleRows(tree, closed), [tree, closed]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is open goes on until the last answer
  const scale = useMemo(() => timeScale(spans, Date.now()), [spans, source.dataUpdatedAt]);
  const span = spans.find(({ spanId }) => spanId === selected) ?? spans[0];
  const withContent = (each: Span) => ({
    ...each,
    attributes: source.contentOf(each.spanId) ?? each.attributes,
  });
  const around = span
    ? spanAncestors(spans, span.spanId).flatMap((id) => spans.find(({ spanId }) => spanId === id) ?? [])
    : [];
  const show = (spanId: string) => {
    const around = spanAncestors(spans, spanId);
    setClosed(new Set([...closed].filter((id) => !around.includes(id))));
    select(spanId);
  };
  const closeAround = useCallback(
    (spanId: string) => {
      toggle(spanId);
      // What is selected stays in view: the keyboard goes on from there.
      if (selected && spanAncestors(spans, selected).includes(spanId)) select(spanId);
    },
    [toggle, select, spans, selected],
  );
  return (
    <>
      <TraceHead trace={trace} shown={rows.length} closed={closed} onClose={setClosed} onShow={show} />
      <div className="trace">
        <Waterfall
          rows={rows}
          scale={scale}
          selected={span?.spanId}
          onSelect={select}
          onToggle={closeAround}
        />
        {span && (
          <section className="span-detail" aria-label={runTexts.details}>
            <SpanTitle span={span} />
            {span === spans[0] ? (
              <>
                <RunContents run={run} />
                <RunSpan span={withContent(span)} />
              </>
            ) : (
              <SpanDetail
                key={span.spanId}
                span={withContent(span)}
                reason={spanFailureReason([span, ...around].map(withContent), run)}
                inside={tree.children.get(span.spanId) ?? []}
                run={run}
                isLoading={source.isContentLoading}
                onSelect={show}
              />
            )}
          </section>
        )}
      </div>
    </>
  );
}
