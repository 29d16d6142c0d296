import { useCall } from '../../../api/queries.ts';
import { useParam } from '../../../routing/screens.ts';
import { FlowWaits } from '../../../run/flow-waits.tsx';
import { Warnings } from '../../../run/warnings.tsx';
import { sharedTexts } from '../../../texts/shared.ts';
import { Loaded } from '../../../ui/loading/loaded.tsx';
import { ScreenPage } from '../../../ui/page.tsx';
import { ShownId } from '../../../ui/values/copy-id.tsx';
import { RunFacts } from '../content/run-facts.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { isUnfinished } from '../data/use-runs.ts';
import { TraceView } from '../trace/trace-view.tsx';
import { isMissing, MissingRun } from './missing-run.tsx';
import { RunActions } from './run-actions.tsx';
import { RunFeedbackPanel } from './run-feedback.tsx';
import { RunsInside } from './runs-inside.tsx';
import '../../../style/runs.css';

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
    { everyMs: (known) => (known && mayChange(known) ? 2_000 : false) },
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
          {(known) => (
            <div className="runs-page">
              <section className="card runs-summary" aria-label={sharedTexts.summary}>
                <RunFacts run={known} />
              </section>
              <Warnings of={known.warnings} />
              {known.waits.length > 0 && (
                <section aria-labelledby="waits">
                  <h2 id="waits">{sharedTexts.waitingForInput}</h2>
                  <FlowWaits waits={known.waits} />
                </section>
              )}
              <TraceView key={`${known.id} ${known.kind}`} run={known} />
              <RunsInside run={known} />
              <RunFeedbackPanel run={known} />
            </div>
          )}
        </Loaded>
      )}
    </ScreenPage>
  );
}
