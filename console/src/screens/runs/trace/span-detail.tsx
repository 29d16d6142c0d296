import { type ReactNode, useMemo } from 'react';
import { recordPath } from '../../../routing/record-paths.ts';
import { itemRows } from '../../../run/item-rows.ts';
import { ItemsTable } from '../../../run/items-table.tsx';
import { Warnings } from '../../../run/warnings.tsx';
import { countText } from '../../../texts/language.ts';
import { runViewTexts } from '../../../texts/run-view.ts';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { StatusMark } from '../../../ui/status.tsx';
import { Facts } from '../../../ui/tables/facts.tsx';
import { CopyId } from '../../../ui/values/copy-id.tsx';
import { dollars, durationText } from '../../../ui/values/format.ts';
import { Time } from '../../../ui/values/time.tsx';
import { ContentSection, ErrorBox } from '../content/run-content.tsx';
import { shownWarnings, spanContents, spanUsage } from '../content/span-content.ts';
import type { RunDetails } from '../data/run-details.ts';
import { runPath } from '../data/run-path.ts';
import { isUnfinished, type ListedRun } from '../data/use-runs.ts';
import { useStepResults } from '../data/use-step-results.ts';
import { spanName, spanStatus } from './span-name.ts';
import type { Span } from './span-tree.ts';
import { SpanAttributes, SpanValue } from './span-values.tsx';

interface Props {
  span: Span;
  /** Directly inside of it. */
  inside: readonly Span[];
  run: RunDetails;
  /** Why it failed, if it did. */
  reason: string | undefined;
  /** Whether prompts and outputs are still on their way. */
  isLoading: boolean;
  onSelect: (spanId: string) => void;
}

/** What is known of a span: what went in, what came out, what it took. */
export function SpanDetail({ span, inside, reason, run, isLoading, onSelect }: Props) {
  const { attributes, status } = span;
  const contents = spanContents(attributes);
  const type = attributes['error.type'];
  const mapId = mapStepId(span);
  return (
    <>
      <SpanFacts span={span} />
      <Links attributes={attributes} kind={span.kind} runId={run.id} />
      <div className="contents">
        {status === 'error' && (
          <ContentSection title={sharedTexts.error}>
            <ErrorBox code={typeof type === 'string' ? type : 'error'} message={reason} />
          </ContentSection>
        )}
        <Warnings of={shownWarnings(span)} />
        {contents.map(({ title, value }) => (
          <SpanValue key={title} title={title} value={value} />
        ))}
        {contents.length === 0 && isLoading && <p className="help">{runTexts.loadingInputAndOutput}</p>}
        {attributes['content.omitted'] !== undefined && <p className="help">{runTexts.contentOmitted}</p>}
        {mapId && run.kind === 'flow' && run.flowId && (
          <MapItems run={run} mapId={mapId} flowId={run.flowId} />
        )}
        <InsideSpan spans={inside} onSelect={onSelect} />
        <SpanAttributes span={span} />
      </div>
    </>
  );
}

/** To the run that a span is, and to its record. */
function Links({ attributes, kind, runId }: { attributes: Span['attributes']; kind: string; runId: string }) {
  const { 'run.id': inner, 'record.id': record } = attributes;
  const isRun = typeof inner === 'string' && inner !== runId && kind !== 'record';
  if (!isRun && typeof record !== 'string') return null;
  return (
    <p className="row">
      {isRun && (
        <span className="shown-id">
          <Link to={runPath(inner)}>{sharedTexts.openRun}</Link>
          <CopyId id={inner} label={sharedTexts.copyRunId} />
        </span>
      )}
      {typeof record === 'string' && (
        <span className="shown-id">
          <Link to={recordPath(record)}>{runTexts.openRecord}</Link>
          <CopyId id={record} label={sharedTexts.copyRecordId} />
        </span>
      )}
    </p>
  );
}

/** The heading of the panel. */
export const SpanTitle = ({ span }: { span: Span }) => (
  <h3 className="span-title">
    <span className={`span-kind ${span.kind}`}>{span.kind}</span>
    <bdi>{spanName(span)}</bdi>
    <StatusMark of={spanStatus(span)} />
  </h3>
);

const shownMax = 12;

interface InsideSpanProps {
  spans: readonly Span[];
  onSelect: (spanId: string) => void;
}

/** What happened inside of a span. Attempts come under a title of their own. */
function InsideSpan({ spans, onSelect }: InsideSpanProps) {
  const attempts = spans.filter(({ kind }) => kind === 'attempt');
  const others = spans.filter(({ kind }) => kind !== 'attempt');
  return (
    <>
      <Group title={sharedTexts.attempts} spans={attempts} onSelect={onSelect} />
      <Group title={runTexts.inside} spans={others} onSelect={onSelect} />
    </>
  );
}

const Group = ({ title, spans, onSelect }: InsideSpanProps & { title: string }) =>
  spans.length > 0 && (
    <ContentSection title={title}>
      <ul className="inside">
        {spans.slice(0, shownMax).map((span) => (
          <li key={span.spanId}>
            <Button look="quiet" onPress={() => onSelect(span.spanId)}>
              <span className={`span-kind ${span.kind}`}>{span.kind}</span>
              <bdi>{spanName(span)}</bdi>
            </Button>
            {span.status !== 'ok' && <StatusMark of={spanStatus(span)} />}
            <span className="help">{durationText(span.durationMs)}</span>
          </li>
        ))}
      </ul>
      {spans.length > shownMax && <p className="help">{runTexts.moreSpans(spans.length - shownMax)}</p>}
    </ContentSection>
  );

interface MapItemsProps {
  run: ListedRun;
  flowId: string;
  mapId: string;
}

/** What a map of a flow did for each of its items. */
function MapItems({ run, flowId, mapId }: MapItemsProps) {
  const query = { runId: run.id, sortOrder: 'asc' } as const;
  const results = useStepResults(flowId, query, isUnfinished(run) && 5_000);
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage } = results;
  const items = useMemo(() => {
    const ran = (rows ?? []).map(
      ({ stepPath, status, outputPreview, errorMessage, estimatedCost, durationMs }) => ({
        stepPath: stepPath ?? '',
        status,
        output: errorMessage ?? outputPreview ?? undefined,
        cost: estimatedCost,
        durationMs,
      }),
    );
    return itemRows(ran, mapId);
  }, [rows, mapId]);
  return (
    <ContentSection title={runViewTexts.items}>
      <Loaded of={{ ...results, data: rows }}>
        {() => (
          <>
            {items.length > 0 ? <ItemsTable items={items} /> : <p className="help">{runTexts.none}</p>}
            {hasNextPage && (
              <Button look="quiet" isPending={isFetchingNextPage} onPress={() => fetchNextPage()}>
                {runViewTexts.moreItems}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </ContentSection>
  );
}

/** The id of the step, if the span is that of a map. */
const mapStepId = ({ attributes }: Pick<Span, 'attributes'>): string | undefined => {
  const { 'flow.step.id': id, 'flow.step.type': type } = attributes;
  return type === 'map' && typeof id === 'string' ? id : undefined;
};

/** What a span took, in figures. */
function SpanFacts({ span: { startedAt, durationMs, attributes } }: { span: Span }) {
  const { input, output, cached, reasoning, firstTokenMs } = spanUsage(attributes);
  const cost = attributes['run.cost_usd'];
  const reasons = attributes['gen_ai.response.finish_reasons'];
  const facts: [string, ReactNode][] = [
    [sharedTexts.started, <Time key="started" at={startedAt} />],
    [sharedTexts.duration, durationText(durationMs) || runTexts.stillOpen],
  ];
  const add = (name: string, value: ReactNode) => value !== undefined && facts.push([name, value]);
  add(sharedTexts.model, modelOf(attributes));
  add(sharedTexts.provider, textOf(attributes['gen_ai.provider.name']));
  add(sharedTexts.tokens, tokensText(input, output));
  add(runTexts.cached, cached ? countText(cached) : undefined);
  add(sharedTexts.reasoning, reasoning ? countText(reasoning) : undefined);
  add(sharedTexts.cost, cost === undefined || cost === null ? undefined : dollars(String(cost)));
  add(runTexts.firstToken, Number.isNaN(firstTokenMs) ? undefined : durationText(firstTokenMs));
  add(runTexts.finishReason, Array.isArray(reasons) ? reasons.join(', ') : undefined);
  add(runTexts.stepType, textOf(attributes['flow.step.type']));
  return <Facts of={facts} />;
}

const textOf = (value: unknown) => (typeof value === 'string' ? <bdi>{value}</bdi> : undefined);

/** The one that answered, if it has another name. */
function modelOf(attributes: Span['attributes']) {
  const { 'gen_ai.request.model': asked, 'gen_ai.response.model': answered } = attributes;
  if (typeof asked !== 'string' || asked === answered || typeof answered !== 'string') return textOf(asked);
  return <bdi>{`${asked} (${answered})`}</bdi>;
}

const tokensText = (input: number | undefined, output: number | undefined) =>
  input === undefined && output === undefined ? undefined : runTexts.tokensInAndOut(input ?? 0, output ?? 0);
