import { usePages } from '../../../api/queries.ts';
import { countText } from '../../../texts/language.ts';
import { settingsTexts } from '../../../texts/settings.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Link } from '../../../ui/link.tsx';
import { Empty } from '../../../ui/loading/loaded.tsx';
import { StatusLabel } from '../../../ui/status.tsx';
import { PagedTable } from '../../../ui/tables/paged-table.tsx';
import { Time } from '../../../ui/values/time.tsx';
import { runPath } from '../../runs/data/run-path.ts';

const whileRunning = (runs: readonly { status: string }[]) =>
  runs.some(({ status }) => status === 'running') ? 2_000 : false;

/** The runs of a tool by itself, newest first. */
export const ToolRuns = ({ id }: { id: string }) => (
  <section aria-labelledby="runs">
    <h2 id="runs">{settingsTexts.directRuns}</h2>
    <PagedTable
      label={settingsTexts.directRuns}
      pages={usePages('tool-runs.list', { params: { id } }, { everyMs: whileRunning })}
      keyOf={(run) => run.id}
      copyId={sharedTexts.copyRunId}
      empty={
        <Empty title={settingsTexts.noRunsOfTool}>
          <p>{settingsTexts.aboutDirectRuns}</p>
        </Empty>
      }
      columns={[
        {
          title: sharedTexts.when,
          cell: ({ id: runId, startedAt }) => (
            <Link to={runPath(runId)}>
              <Time at={startedAt} />
            </Link>
          ),
        },
        { title: sharedTexts.status, cell: ({ status }) => <StatusLabel of={status} /> },
        {
          title: settingsTexts.timeInMs,
          cell: ({ executionTimeMs }) => countText(executionTimeMs),
          isNumber: true,
          isExtra: true,
        },
        { title: sharedTexts.error, cell: ({ error }) => <bdi>{error}</bdi>, isExtra: true },
      ]}
    />
  </section>
);
