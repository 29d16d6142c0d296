import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperationRequest, OperationResponse } from '../../../api/api.ts';
import { useCall } from '../../../api/queries.ts';
import { forecastTexts } from '../../../texts/forecast.ts';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { dollars } from '../../../ui/values/format.ts';

type Schedule = OperationResponse<'schedules.list'>['data'][number];
type Body = NonNullable<OperationRequest<'batches.forecast'>['body']>;

/** What a schedule costs in 30 days, if its records stay as they are. Computed when somebody opens it. */
export function MonthForecast({ schedule, cron }: { schedule: Schedule; cron: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{forecastTexts.ofMonth}</summary>
      {isOpen && <Figures schedule={schedule} cron={cron} />}
    </details>
  );
}

function Figures({ schedule, cron }: { schedule: Schedule; cron: string }) {
  const { flowId, recordType, recordIds, timezone } = schedule;
  const recordFilter = schedule.recordFilter as Body['recordFilter'] | null;
  const selected = recordFilter
    ? { recordFilter }
    : recordType
      ? { recordType }
      : { recordIds: [...(recordIds ?? [])] };
  const forecast = useCall('batches.forecast', { body: { flowId, ...selected } });
  const runs = useQuery({
    queryKey: ['runs-of-month', cron, timezone],
    queryFn: async () => (await import('./next-times.ts')).runsOfMonth(cron, timezone ?? 'UTC'),
  });
  return (
    <Loaded of={forecast}>
      {({ cost }) => (
        <p>
          {cost && runs.data !== undefined
            ? forecastTexts.costOfMonth(runs.data, dollars(Number(cost.expected) * runs.data))
            : forecastTexts.noPrice}
        </p>
      )}
    </Loaded>
  );
}
