import type { OperationResponse } from '../../../api/api.ts';
import { useAction, usePages } from '../../../api/queries.ts';
import { countText } from '../../../texts/language.ts';
import { productTexts } from '../../../texts/products.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { notify } from '../../../ui/notices.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import { PagedTable } from '../../../ui/tables/paged-table.tsx';
import { ExactTime, Time } from '../../../ui/values/time.tsx';
import type { SurfaceIds } from '../parts/place.ts';
import { MonthForecast } from './month-forecast.tsx';
import { NextTimes } from './next-times-list.tsx';

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
