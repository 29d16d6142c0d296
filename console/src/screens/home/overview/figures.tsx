import type { OperationResponse } from '../../../api/api.ts';
import { homeTexts } from '../../../texts/home.ts';
import { countText } from '../../../texts/language.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { dollars, durationText } from '../../../ui/values/format.ts';
import { type Range, rangeWords } from './range.ts';
import { failureRate, type NumberChange, percentChange, percentText, pointsChange } from './series.ts';
import { useMetrics, useMetricsBefore, useWindow } from './use-metrics.ts';

type Total = OperationResponse<'run-metrics.get'>['groups'][number]['total'];

interface Figure {
  name: string;
  value: string;
  change: NumberChange | undefined;
  more?: string | undefined;
}

/** Four figures of the range, beside those of the equal time before. */
export function Figures({ range }: { range: Range }) {
  const window = useWindow(range);
  const metrics = useMetrics(window);
  const before = useMetricsBefore(window);
  return (
    <section aria-label={homeTexts.last(rangeWords(range))}>
      <Loaded of={metrics}>
        {({ groups }) => (
          <dl className="home-figures">
            {figuresOf(groups[0]?.total, before.data?.groups[0]?.total).map((figure) => (
              <FigureCard key={figure.name} {...figure} before={homeTexts.before(rangeWords(range))} />
            ))}
          </dl>
        )}
      </Loaded>
    </section>
  );
}

function figuresOf(now: Total | undefined, before: Total | undefined): Figure[] {
  if (!now) return [];
  const { p50, p95 } = now.durationMs;
  const p95Change = percentChange(p95, before?.durationMs.p95 ?? null);
  return [
    {
      name: sharedTexts.runs,
      value: countText(now.runs),
      change: percentChange(now.runs, before?.runs ?? null),
    },
    {
      name: homeTexts.failureRate,
      value: percentText(failureRate(now)),
      change: pointsChange(failureRate(now), before ? failureRate(before) : null, 'less'),
      more: homeTexts.failedOf(now.failed, now.runs),
    },
    {
      name: sharedTexts.cost,
      value: now.cost === null ? sharedTexts.unknown : dollars(now.cost),
      change: percentChange(numberOf(now.cost), numberOf(before?.cost)),
      more: sharedTexts.tokenCount(now.tokens.input + now.tokens.output),
    },
    {
      name: homeTexts.medianDuration,
      value: durationText(p50) || '–',
      change: percentChange(p50, before?.durationMs.p50 ?? null, 'less'),
      more: p95 === null ? undefined : p95Text(durationText(p95), p95Change),
    },
  ];
}

const numberOf = (text: string | null | undefined) =>
  text === null || text === undefined ? null : Number(text);

const arrows = { up: '↑', down: '↓', same: '→' };

const spoken = ({ direction, text }: NumberChange) =>
  direction === 'same' ? text : (direction === 'up' ? homeTexts.up : homeTexts.down)(text);

const p95Text = (p95: string, change: NumberChange | undefined) =>
  change ? homeTexts.p95Changed(p95, spoken(change)) : homeTexts.p95(p95);

const FigureCard = ({ name, value, change, more, before }: Figure & { before: string }) => (
  <div className="card">
    <dt>{name}</dt>
    <dd>
      <span className="home-value">{value}</span>
      {change && (
        <span className={`home-change ${lookOf(change)}`} title={homeTexts.againstTitle(before)}>
          <span aria-hidden="true">
            {arrows[change.direction]} {change.text}
          </span>
          <span className="visually-hidden">{homeTexts.changeAgainst(spoken(change), before)}</span>
        </span>
      )}
      <span className="help">
        {more ?? (change ? homeTexts.against(before) : homeTexts.nothingIn(before))}
      </span>
    </dd>
  </div>
);

const lookOf = ({ isGood }: NumberChange) => (isGood === undefined ? '' : isGood ? 'good' : 'bad');
