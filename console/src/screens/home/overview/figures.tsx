import type { AnswerOf } from '../../../api/api.ts';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { count, dollars, duration } from '../../../ui/values/format.ts';
import { type Change, changeOf, failureRateOf, percentText, pointsChangeOf } from './comparison.ts';
import { type Range, wordsOf } from './range.ts';
import { useMetrics, useMetricsBefore, useWindow } from './use-metrics.ts';

type Total = AnswerOf<'GET /v1/run-metrics'>['groups'][number]['total'];

interface Figure {
  name: string;
  value: string;
  change: Change | undefined;
  more?: string | undefined;
}

/** Four figures of the range, beside those of the equal time before. */
export function Figures({ range }: { range: Range }) {
  const window = useWindow(range);
  const metrics = useMetrics(window);
  const before = useMetricsBefore(window);
  return (
    <section aria-label={`The last ${wordsOf(range)}`}>
      <Loaded of={metrics}>
        {({ groups }) => (
          <dl className="home-figures">
            {figuresOf(groups[0]?.total, before.data?.groups[0]?.total).map((figure) => (
              <FigureCard key={figure.name} {...figure} before={`the ${wordsOf(range)} before`} />
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
  const p95Change = changeOf(p95, before?.durationMs.p95 ?? null);
  return [
    { name: 'Runs', value: count(now.runs), change: changeOf(now.runs, before?.runs ?? null) },
    {
      name: 'Failure rate',
      value: percentText(failureRateOf(now)),
      change: pointsChangeOf(failureRateOf(now), before ? failureRateOf(before) : null, 'less'),
      more: `${count(now.failed)} of ${count(now.runs)} failed`,
    },
    {
      name: 'Cost',
      value: now.cost === null ? 'unknown' : dollars(now.cost),
      change: changeOf(numberOf(now.cost), numberOf(before?.cost)),
      more: `${count(now.tokens.input + now.tokens.output)} tokens`,
    },
    {
      name: 'Median duration',
      value: duration(p50) || '–',
      change: changeOf(p50, before?.durationMs.p50 ?? null, 'less'),
      more: p95 === null ? undefined : `p95 ${duration(p95)}${p95Change ? `, ${spoken(p95Change)}` : ''}`,
    },
  ];
}

const numberOf = (text: string | null | undefined) =>
  text === null || text === undefined ? null : Number(text);

const arrows = { up: '↑', down: '↓', same: '→' };

const spoken = ({ direction, text }: Change) => (direction === 'same' ? text : `${direction} ${text}`);

const FigureCard = ({ name, value, change, more, before }: Figure & { before: string }) => (
  <div className="card">
    <dt>{name}</dt>
    <dd>
      <span className="home-value">{value}</span>
      {change && (
        <span className={`home-change ${lookOf(change)}`} title={`Against ${before}`}>
          <span aria-hidden="true">{arrows[change.direction]} </span>
          <span className="visually-hidden">{change.direction === 'same' ? '' : `${change.direction} `}</span>
          {change.text}
          <span className="visually-hidden"> against {before}</span>
        </span>
      )}
      <span className="help">{more ?? (change ? `against ${before}` : `nothing in ${before}`)}</span>
    </dd>
  </div>
);

const lookOf = ({ isGood }: Change) => (isGood === undefined ? '' : isGood ? 'good' : 'bad');
