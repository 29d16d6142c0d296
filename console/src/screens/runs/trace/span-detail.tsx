import { recordPath } from '../../../routing/record-paths.ts';
import { Warnings } from '../../../run/warnings.tsx';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Link } from '../../../ui/link.tsx';
import { StatusMark } from '../../../ui/status.tsx';
import { CopyId } from '../../../ui/values/copy-id.tsx';
import { ContentSection, ErrorBox } from '../content/run-content.tsx';
import { shownWarnings, spanContents } from '../content/span-content.ts';
import type { RunDetails } from '../data/run-details.ts';
import { runPath } from '../data/run-path.ts';
import { InsideSpan } from './inside-span.tsx';
import { MapItems, mapStepId } from './map-items.tsx';
import { SpanFacts } from './span-facts.tsx';
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
        {mapId && run.kind === 'flow' && run.flowId && <MapItems {...{ run, mapId }} flowId={run.flowId} />}
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
