import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OperationRequest, OperationResponse } from '../../../api/api.ts';
import { useAction, useCall, usePages } from '../../../api/queries.ts';
import { forecastTexts } from '../../../texts/forecast.ts';
import { countText } from '../../../texts/language.ts';
import { productTexts } from '../../../texts/products.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Empty, Loaded } from '../../../ui/loading/loaded.tsx';
import { notify } from '../../../ui/notices.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import { PagedTable } from '../../../ui/tables/paged-table.tsx';
import { dollars } from '../../../ui/values/format.ts';
import { ExactTime, Time } from '../../../ui/values/time.tsx';
import type { SurfaceIds } from '../parts/place.ts';

type Schedule = OperationResponse<'schedules.list'>['data'][number];

export function ScheduleCard({ place, schedule }: { place: SurfaceIds; schedule: Schedule }) {
  const { id, flowId, flowName, cron, runAt, timezone, enabled } = schedule;
  const request = { params: { ...place, scheduleId: id } };
  const changes = { changes: ['products', 'schedules'] };
  const pause = useAction('schedules.pause', changes);
  const resume = useAction('schedules.resume', changes);
  const runNow = useAction('schedules.run-now', {
    ...changes,
    onSuccess: () => notify(sharedTexts.runStarted),
  });
  const remove = useAction('schedules.delete', changes);
  const next = <Time at={schedule.nextRunAt} />;
  const last = <Time at={schedule.lastRunAt} />;
  const error = pause.error ?? resume.error ?? runNow.error;
  return (
    <article className="products-schedule" aria-labelledby={id}>
      <h3 id={id}>
        <Link to={`/flows/${flowId}`}>
          <bdi>{flowName ?? flowId}</bdi>
        </Link>{' '}
        <StatusLabel of={enabled ? 'active' : 'paused'} />
      </h3>
      <p>
        {cron ? <code>{cron}</code> : runAt && <ExactTime at={runAt} />}
        {timezone ? productTexts.timesIn(timezone, next, last) : productTexts.times(next, last)}
      </p>
      {cron && enabled && <NextTimes cron={cron} timezone={timezone} />}
      {cron && enabled && hasRecords(schedule) && <MonthForecast schedule={schedule} cron={cron} />}
      <div className="actions">
        <Button onPress={() => runNow.mutate(request)} isPending={runNow.isPending}>
          {productTexts.runNow}
        </Button>
        <Button onPress={() => (enabled ? pause : resume).mutate(request)}>
          {enabled ? productTexts.pause : productTexts.resume}
        </Button>
        <Link to={`/alerts?new&schedule=${id}`} className="button">
          {productTexts.alertWithoutRun}
        </Link>
        <ConfirmButton
          title={productTexts.deleteThisSchedule}
          question={productTexts.scheduleStops}
          confirm={sharedTexts.delete}
          action={() => remove.mutateAsync(request)}
        >
          {sharedTexts.delete}
        </ConfirmButton>
      </div>
      {error && <FailureNotice error={error} />}
      <History id={id} />
    </article>
  );
}

/** Whether it runs the flow on records. Without any, it runs once. */
const hasRecords = ({ recordIds, recordFilter, recordType }: Schedule) =>
  recordFilter != null || recordType != null || (recordIds?.length ?? 0) > 0;

function History({ id }: { id: string }) {
  const pages = usePages('schedules.runs', { params: { id } }, { limit: 10 });
  return (
    <details>
      <summary>{sharedTexts.runs}</summary>
      <PagedTable
        label={productTexts.runsOfSchedule}
        pages={pages}
        keyOf={(run) => run.id}
        copyId={sharedTexts.copyRunId}
        columns={[
          { title: sharedTexts.when, cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
          {
            title: sharedTexts.records,
            cell: ({ totalRecords }) => (totalRecords === null ? '' : countText(totalRecords)),
            isNumber: true,
            isExtra: true,
          },
          { title: productTexts.why, cell: ({ error }) => <bdi>{error}</bdi>, isExtra: true },
          {
            title: productTexts.batch,
            cell: ({ batchExecutionId }) =>
              batchExecutionId && (
                <Link to={`/runs/batches/${batchExecutionId}`}>{sharedTexts.openBatch}</Link>
              ),
          },
        ]}
        empty={<Empty title={sharedTexts.noRunsYet} />}
      />
    </details>
  );
}

type Body = NonNullable<OperationRequest<'batches.forecast'>['body']>;

/** What a schedule costs in 30 days, if its records stay as they are. Computed when somebody opens it. */
function MonthForecast({ schedule, cron }: { schedule: Schedule; cron: string }) {
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

const timesShown = 5;

/** The next times, computed as the service computes them. */
function NextTimes({ cron, timezone }: { cron: string; timezone: string | null }) {
  const times = useQuery({
    queryKey: ['next-times', cron, timezone],
    queryFn: async () => (await import('./next-times.ts')).nextTimes(cron, timezone ?? 'UTC', timesShown),
    retry: false,
  });
  if (!times.data) return null;
  return (
    <details>
      <summary>{productTexts.nextTimes(timesShown)}</summary>
      <ol>
        {times.data.map((time) => (
          <li key={time.getTime()}>
            <time dateTime={time.toISOString()}>
              <ExactTime at={time.getTime()} />
            </time>
          </li>
        ))}
      </ol>
    </details>
  );
}
