import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { WarningCode } from '../../../../shared/core/warnings.ts';
import type { OperationResponse } from '../../api/api.ts';
import { refresh, useAction, useCall } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { Warnings } from '../../run/warnings.tsx';
import { exportTexts } from '../../texts/exports.ts';
import { countText } from '../../texts/language.ts';
import { runTexts } from '../../texts/runs.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { valueText } from '../../texts/values.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Link } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { ScreenPage } from '../../ui/page.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { dollars } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';
import { ExportButton } from '../records/exports/export-button.tsx';
import { BatchFailures } from './batch-failures.tsx';
import { BatchSteps } from './batch-steps.tsx';
import '../../style/runs.css';
import { FlowWaits } from '../../run/flow-waits.tsx';

type Batch = OperationResponse<'batches.status'>;

const everyMs = 1_500;
const isRunning = ({ status }: Batch) => status === 'scheduled' || status === 'running';

/** A run of a flow on records: how far it is, what failed. */
export function BatchRun() {
  const id = useParam('batchId');
  const batch = useCall(
    'batches.status',
    { params: { id } },
    { everyMs: (last) => (last && !isRunning(last) ? false : everyMs) },
  );
  const cancel = useAction('batches.cancel', {
    onSuccess: () => notify(runTexts.batchCancelled),
  });
  return (
    <ScreenPage
      title={sharedTexts.runOnRecords}
      id={<ShownId id={id} label={runTexts.copyBatchId} />}
      above={[{ to: '/runs', label: sharedTexts.runs }]}
      actions={
        batch.data && (
          <>
            <ExportButton
              title={exportTexts.exportResults}
              about={exportTexts.tableOfBatch}
              subject="batch"
              filter={{ batchId: id }}
            />
            {isRunning(batch.data) && (
              <ConfirmButton
                title={runTexts.cancelThisRun}
                question={runTexts.runningRecordsFinish}
                confirm={runTexts.cancelRun}
                action={() => cancel.mutateAsync({ params: { id } })}
              >
                {runTexts.cancelRun}
              </ConfirmButton>
            )}
          </>
        )
      }
    >
      <Loaded of={batch}>
        {(loaded) => (
          <div className="runs-page">
            <Progress batch={loaded} />
            <Warnings of={countedWarnings(loaded.warnings)} />
            {isRunning(loaded) && <BatchWaits id={id} />}
            <BatchFailures batch={loaded} isRunning={isRunning(loaded)} />
            <BatchSteps flowId={loaded.flowId} batchId={id} isRunning={isRunning(loaded)} />
          </div>
        )}
      </Loaded>
    </ScreenPage>
  );
}

const countedWarnings = (counts: Batch['warnings']) =>
  Object.entries(counts).map(([code, count]) => ({ code: code as WarningCode, count }));

function Progress({ batch }: { batch: Batch }) {
  const { batchExecutionId: id, flowId, status, progress, error } = batch;
  const queries = useQueryClient();
  const runs = isRunning(batch);
  const flow = useCall('flows.get', { params: { id: flowId } });
  const cost = useCall('batches.cost', { params: { id } }, { everyMs: runs && everyMs * 2 });
  const run = useCall('runs.get', { params: { id } }, { enabled: !runs });
  const saved = Number(run.data?.savedCost ?? 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last numbers come with the end
  useEffect(() => {
    refresh(queries, ['batch', 'flows']);
  }, [runs, queries]);
  const started = <Time at={batch.startedAt} />;
  const facts = [
    [runTexts.done, runTexts.doneOf(countText(batch.processedRecords), countText(batch.totalRecords))],
    [runTexts.succeeded, countText(batch.successCount)],
    [sharedTexts.failed, countText(batch.failedRecords)],
    [sharedTexts.cost, cost.data ? dollars(cost.data.totalCostUsd) : cost.error ? runTexts.notKnown : '…'],
    ...(batch.priority === 'normal' ? [] : [[sharedTexts.priority, valueText(batch.priority)] as const]),
    ...(saved > 0 ? [[runTexts.savedByReuse, dollars(saved)] as const] : []),
  ] as const;
  return (
    <section aria-label={sharedTexts.progress} className="card">
      <p className="runs-head">
        <StatusLabel of={status} />
        <Link to={`/flows/${flowId}`}>
          <bdi>{flow.data?.name ?? flowId}</bdi>
        </Link>
        <span className="help">
          {batch.completedAt
            ? runTexts.startedAndEnded(started, <Time at={batch.completedAt} />)
            : runTexts.startedAt(started)}
        </span>
        {batch.retryOf && (
          <span className="help">
            {runTexts.retryOf(<Link to={`/runs/batches/${batch.retryOf}`}>{runTexts.anEarlierRun}</Link>)}
          </span>
        )}
      </p>
      <progress className="runs-progress" max={100} value={progress} aria-label={runTexts.recordsDone} />
      <Facts of={facts} isBig />
      <p role="status" className="visually-hidden">
        {runs ? '' : runTexts.runIs(valueText(status))}
      </p>
      {error && <p className="problem">{error}</p>}
    </section>
  );
}

const runEveryMs = 3_000;

/** What the records of a batch wait for. */
function BatchWaits({ id }: { id: string }) {
  const run = useCall('runs.get', { params: { id } }, { everyMs: runEveryMs });
  const { waits = [] } = run.data ?? {};
  return (
    waits.length > 0 && (
      <section aria-labelledby="waits">
        <h2 id="waits">{sharedTexts.waitingForInput}</h2>
        <FlowWaits waits={waits} />
      </section>
    )
  );
}
