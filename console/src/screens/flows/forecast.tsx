import type { OperationRequest, OperationResponse } from '../../api/api.ts';
import { useCall } from '../../api/queries.ts';
import { forecastTexts } from '../../texts/forecast.ts';
import { countText } from '../../texts/language.ts';
import { Facts } from '../../ui/tables/facts.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { dollars, durationText } from '../../ui/values/format.ts';

type Forecast = OperationResponse<'batches.forecast'>;
type Step = Forecast['steps'][number];

interface Props {
  of: NonNullable<OperationRequest<'batches.forecast'>['body']>;
  /** Whether there is something to run. */
  isReady: boolean;
}

/** What a run on records is about to cost. Computing it takes seconds, so it waits until the request settles. */
export function RunForecast({ of, isReady }: Props) {
  const settled = useSettled(JSON.stringify(of));
  const { data, error } = useCall(
    'batches.forecast',
    { body: JSON.parse(settled) },
    { enabled: isReady, keepsLast: true },
  );
  if (!isReady) return null;
  return (
    <section className="card" aria-labelledby="forecast">
      <h2 id="forecast">{forecastTexts.forecast}</h2>
      {error && <p className="help">{forecastTexts.noForecast}</p>}
      {data && !error && <Figures of={data} />}
    </section>
  );
}

function Figures({ of: { cost, saved, durationSeconds, steps, notes, sampled, records } }: { of: Forecast }) {
  const reused = steps.reduce((sum, step) => sum + step.reused, 0);
  const costing = steps.filter(({ calls, reused: taken }) => calls.max > 0 || taken > 0);
  return (
    <>
      <Facts
        isBig
        of={[
          [forecastTexts.expected, cost ? dollars(cost.expected) : forecastTexts.noPrice],
          [forecastTexts.atMost, cost?.max == null ? forecastTexts.noLimit : dollars(cost.max)],
          [forecastTexts.duration, durationText(durationSeconds.expected * 1_000)],
          ...(reused > 0 ? [[forecastTexts.saved, dollars(saved)] as const] : []),
        ]}
      />
      <p className="help">
        {forecastTexts.basedOn(sampled, records)} {reused > 0 && forecastTexts.reused(reused)}
      </p>
      {notes.map((note) => (
        <p className="help" key={note}>
          {note}
        </p>
      ))}
      {costing.length > 0 && (
        <details>
          <summary>{forecastTexts.steps}</summary>
          <Steps of={costing} />
        </details>
      )}
    </>
  );
}

const Steps = ({ of }: { of: readonly Step[] }) => (
  <Table
    label={forecastTexts.steps}
    rows={of}
    keyOf={({ stepId }) => stepId}
    columns={[
      { title: forecastTexts.step, cell: ({ name }) => <bdi>{name}</bdi> },
      { title: forecastTexts.calls, cell: ({ calls }) => countText(calls.expected), isNumber: true },
      { title: forecastTexts.reusedResults, cell: ({ reused }) => countText(reused), isNumber: true },
      {
        title: forecastTexts.expected,
        cell: ({ cost }) => (cost ? dollars(cost.expected) : forecastTexts.noPrice),
        isNumber: true,
      },
      { title: forecastTexts.basis, cell: ({ basis }) => forecastTexts.bases[basis], isExtra: true },
    ]}
  />
);
