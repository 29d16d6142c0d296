import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { StatusMark } from '../../../ui/status.tsx';
import { durationText } from '../../../ui/values/format.ts';
import { ContentSection } from '../content/run-content.tsx';
import { spanName, spanStatus } from './span-name.ts';
import type { Span } from './span-tree.ts';

const shownMax = 12;

interface Props {
  spans: readonly Span[];
  onSelect: (spanId: string) => void;
}

/** What happened inside of a span. Attempts come under a title of their own. */
export function InsideSpan({ spans, onSelect }: Props) {
  const attempts = spans.filter(({ kind }) => kind === 'attempt');
  const others = spans.filter(({ kind }) => kind !== 'attempt');
  return (
    <>
      <Group title={sharedTexts.attempts} spans={attempts} onSelect={onSelect} />
      <Group title={runTexts.inside} spans={others} onSelect={onSelect} />
    </>
  );
}

const Group = ({ title, spans, onSelect }: Props & { title: string }) =>
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
