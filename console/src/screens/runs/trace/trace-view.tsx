import { useCallback, useEffect, useMemo, useState } from 'react';
import { runTexts } from '../../../texts/runs.ts';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { RunContents } from '../content/run-content.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { isUnfinished } from '../data/use-runs.ts';
import { SpanDetail, SpanTitle } from './span-detail.tsx';
import { buildSpanTree, failedSpan, type Span, spanAncestors, type Trace, visibleRows } from './span-tree.ts';
import { timeScale } from './time-scale.ts';
import { Waterfall } from './waterfall.tsx';
import '../../../style/trace.css';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCall } from '../../../api/queries.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { useSettled } from '../../../ui/use-settled.ts';
import { spanContents } from '../content/span-content.ts';
import { SpanAttributes, SpanValue } from './span-values.tsx';

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

/**
 * Why a span failed. What a model or a tool said is on the span that it made fail, which may be one around.
 * @param chain The span and those around it, the nearest first.
 */
function spanFailureReason(
  chain: readonly Pick<Span, 'status' | 'attributes'>[],
  { error }: Pick<RunDetails, 'error'>,
): string | undefined {
  for (const { status, attributes } of chain) {
    if (status !== 'error') return undefined;
    const message = attributes['error.message'];
    if (typeof message === 'string') return message;
  }
  return error?.message;
}

/** What the first span has beside the input and the output of its run. */
const RunSpan = ({ span }: { span: Span }) => (
  <div className="contents">
    {spanContents(span.attributes)
      .filter(({ title }) => title === 'Instructions')
      .map(({ title, value }) => (
        <SpanValue key={title} title={title} value={value} />
      ))}
    <SpanAttributes span={span} />
  </div>
);

interface TraceHeadProps {
  trace: Trace;
  /** How many rows the tree has. */
  shown: number;
  closed: ReadonlySet<string>;
  onClose: (closed: ReadonlySet<string>) => void;
  onShow: (spanId: string) => void;
}

/** How large a trace is, and buttons for the tree. */
function TraceHead({ trace, shown, closed, onClose, onShow }: TraceHeadProps) {
  const { spans, truncated } = trace;
  const failure = useMemo(() => failedSpan(spans), [spans]);
  return (
    <div className="trace-head">
      <h2 id="trace">{runTexts.trace}</h2>
      <span className="help">
        {runTexts.spans(spans.length)}
        {shown < spans.length && runTexts.shownCount(shown)}
        {truncated && runTexts.moreAreLeftOut}
      </span>
      <span className="actions">
        {failure && (
          <Button look="quiet" onPress={() => onShow(failure.spanId)}>
            {runTexts.goToFailure}
          </Button>
        )}
        {spans.length > 2 && (
          <Button look="quiet" onPress={() => onClose(closed.size > 0 ? new Set<string>() : closable(trace))}>
            {closed.size > 0 ? runTexts.expandAll : runTexts.collapseAll}
          </Button>
        )}
      </span>
    </div>
  );
}

/** The selected span, which is in the address, so that a link shows it. Written there when the arrow keys rest. */
function useSelectedSpan(): [string | undefined, (spanId: string) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false });
  const navigate = useNavigate();
  const inAddress = search.span === undefined ? undefined : String(search.span);
  const [selected, select] = useState(inAddress);
  const settled = useSettled(selected, 200);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a selection changes the address
  useEffect(() => {
    if (settled !== inAddress && settled !== undefined)
      navigate({ to: '.', search: { ...search, span: settled }, replace: true, resetScroll: false } as never);
  }, [settled]);
  return [selected, select];
}

const goesOn = (trace: Trace | undefined) =>
  trace?.spans.some(({ status }) => status === 'running' || status === 'waiting') ?? false;

/**
 * The trace of a run, live while the run is open. First the spans, then the same with their prompts and outputs, which
 * may take 2 MB.
 */
function useTrace(runId: string, isOpen: boolean) {
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

/** All that have something inside but the run itself. */
const closable = ({ spans }: Trace) =>
  new Set(spans.map(({ parentSpanId }) => parentSpanId ?? '').filter((id) => id && id !== spans[0]?.spanId));

/** Which spans are closed: at first the records of a batch, but not around the span of the address. */
function useClosed(trace: Trace, selected: string | undefined) {
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
