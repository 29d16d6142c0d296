import { useAction, useCall } from '../../../api/queries.ts';
import { useParam } from '../../../routing/screens.ts';
import { FlowWaits } from '../../../run/flow-waits.tsx';
import { Warnings } from '../../../run/warnings.tsx';
import { sharedTexts } from '../../../texts/shared.ts';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../../ui/page.tsx';
import { ShownId } from '../../../ui/values/copy-id.tsx';
import { RunFacts } from '../content/run-facts.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { isUnfinished, type ListedRun, useRuns } from '../data/use-runs.ts';
import { TraceView } from '../trace/trace-view.tsx';
import { RunFeedbackPanel } from './run-feedback.tsx';
import '../../../style/runs.css';
import { useNavigate } from '@tanstack/react-router';
import { ApiError } from '../../../../../packages/client/src/client.ts';
import { baseUrl } from '../../../session/base-url.ts';
import { runTexts } from '../../../texts/runs.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { Grid } from '../../../ui/grid/grid.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { notify } from '../../../ui/notices.tsx';
import { runColumns } from '../content/run-columns.tsx';
import { runPath, runsPath } from '../data/run-path.ts';
import { curlCommand } from './curl.ts';
import { RetryRun } from './retry-run.tsx';

const settlingMs = 10_000;

/** The process of a cancelled run stores what it took within seconds. */
const mayChange = (run: RunDetails) =>
  isUnfinished(run) ||
  (run.status === 'cancelled' && Date.now() - Date.parse(run.completedAt ?? '') < settlingMs);

/** One run of any kind: how it stands, what happened in it, and what people think of it. Live while it is open. */
export function RunPage() {
  const id = useParam('runId');
  const run = useCall(
    'runs.get',
    { params: { id } },
    { everyMs: (fetched) => (fetched && mayChange(fetched) ? 2_000 : false) },
  );
  return (
    <ScreenPage
      title={run.data?.name ?? sharedTexts.oneRun}
      above={[{ to: '/runs', label: sharedTexts.runs }]}
      id={<ShownId id={id} label={sharedTexts.copyRunId} />}
      actions={run.data && <RunActions run={run.data} />}
    >
      {isMissing(run.error) ? (
        <MissingRun error={run.error} />
      ) : (
        <Loaded of={run}>
          {(found) => (
            <div className="runs-page">
              <section className="card runs-summary" aria-label={sharedTexts.summary}>
                <RunFacts run={found} />
              </section>
              <Warnings of={found.warnings} />
              {found.waits.length > 0 && (
                <section aria-labelledby="waits">
                  <h2 id="waits">{sharedTexts.waitingForInput}</h2>
                  <FlowWaits waits={found.waits} />
                </section>
              )}
              <TraceView key={`${found.id} ${found.kind}`} run={found} />
              <RunsInside run={found} />
              <RunFeedbackPanel run={found} />
            </div>
          )}
        </Loaded>
      )}
    </ScreenPage>
  );
}

const isMissing = (error: Error | null): error is ApiError =>
  error instanceof ApiError && error.status === 404;

/** The API does not say which of these it is. */
const MissingRun = ({ error }: { error: Error }) => (
  <>
    <FailureNotice error={error} />
    <p>
      {runTexts.whyRunIsMissing(
        (text) => (
          <code>{text}</code>
        ),
        (text) => (
          <Link to="/runs">{text}</Link>
        ),
      )}
    </p>
  </>
);

const consequences: Record<string, string> = {
  batch: runTexts.runningRecordsFinish,
  agent: runTexts.agentStops,
  tool: runTexts.toolStops,
};

/** What one can do with a run. */
function RunActions({ run }: { run: RunDetails }) {
  const { id, kind } = run;
  const cancel = useAction('runs.cancel', {
    changes: ['runs', 'batch', 'agents'],
    onSuccess: () => notify(runTexts.runCancelled),
  });
  return (
    <>
      {kind === 'batch' && (
        <Link to={`/runs/batches/${id}`} className="button">
          {sharedTexts.openBatch}
        </Link>
      )}
      {kind === 'agent' && run.agentId && (
        <Link to={`/runs/agents/${run.agentId}/${id}`} className="button">
          {runTexts.openAgentRun}
        </Link>
      )}
      <RetryRun key={id} run={run} />
      <CopyButton text={curlCommand(run, baseUrl)} label={runTexts.copyAsCurl} />
      {isUnfinished(run) && (
        <ConfirmButton
          title={runTexts.cancelThisRun}
          question={consequences[kind] ?? runTexts.runStops}
          confirm={runTexts.cancelRun}
          action={() => cancel.mutateAsync({ params: { id } })}
        >
          {runTexts.cancelRun}
        </ConfirmButton>
      )}
    </>
  );
}

/** The runs that this one started: sub-agents, and flows as tools. Tools and most runs have none. */
function RunsInside({ run }: { run: ListedRun }) {
  const { id, kind } = run;
  const navigate = useNavigate();
  const { rows, error, hasNextPage } = useRuns(
    { parentRunId: id },
    { enabled: kind !== 'tool', isLive: isUnfinished(run), limit: 20 },
  );
  if (error) return <FailureNotice error={error} />;
  if (!rows || rows.length === 0) return null;
  const open = (inner: ListedRun | undefined) => inner && navigate({ to: runPath(inner.id) });
  return (
    <section aria-labelledby="nested">
      <h2 id="nested">{sharedTexts.nestedRuns}</h2>
      <Grid
        label={sharedTexts.nestedRuns}
        columns={runColumns}
        keyOf={(inner) => inner.id}
        rows={rows}
        previewed={undefined}
        onPreview={open}
        onOpen={open}
      />
      {hasNextPage && (
        <p className="more">
          <Link to={runsPath({ parentRunId: id })}>{runTexts.showAllInList}</Link>
        </p>
      )}
    </section>
  );
}
