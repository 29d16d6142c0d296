import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { refresh, useAction, useCall } from '../../api/queries.ts';
import { useParam } from '../../routing/screens.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Link } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { notify } from '../../ui/notices.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { Facts } from '../../ui/tables/facts.tsx';
import { ShownId } from '../../ui/values/copy-id.tsx';
import { count, dollars } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';
import { BatchFailures } from './batch-failures.tsx';
import { BatchSteps } from './batch-steps.tsx';
import '../../style/runs.css';

type Batch = AnswerOf<'GET /v1/batch/status/{id}'>;

const everyMs = 1_500;
const isRunning = ({ status }: Batch) => status === 'scheduled' || status === 'running';

/** A run of a flow on records: how far it is, what failed. */
export function BatchRun() {
  const id = useParam('batchId');
  const batch = useCall(
    'GET /v1/batch/status/{id}',
    { params: { id } },
    { everyMs: (last) => (last && !isRunning(last) ? false : everyMs) },
  );
  const cancel = useAction('POST /v1/batch/cancel/{id}', {
    onSuccess: () => notify('Cancelled. Records in progress will finish'),
  });
  return (
    <Page
      title="Run on records"
      id={<ShownId id={id} label="Copy batch ID" />}
      above={[{ to: '/runs', label: 'Runs' }]}
      actions={
        batch.data &&
        isRunning(batch.data) && (
          <ConfirmButton
            title="Cancel this run?"
            question="Records that are running finish. The others do not start."
            confirm="Cancel run"
            action={() => cancel.mutateAsync({ params: { id } })}
          >
            Cancel run
          </ConfirmButton>
        )
      }
    >
      <Loaded of={batch}>
        {(loaded) => (
          <div className="runs-page">
            <Progress batch={loaded} />
            <BatchFailures batch={loaded} isRunning={isRunning(loaded)} />
            <BatchSteps flowId={loaded.flowId} batchId={id} isRunning={isRunning(loaded)} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function Progress({ batch }: { batch: Batch }) {
  const { batchExecutionId: id, flowId, status, progress, error } = batch;
  const queries = useQueryClient();
  const runs = isRunning(batch);
  const flow = useCall('GET /v1/flows/{id}', { params: { id: flowId } });
  const cost = useCall('GET /v1/batch/{id}/cost', { params: { id } }, { everyMs: runs && everyMs * 2 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last numbers come with the end
  useEffect(() => {
    refresh(queries, ['batch', 'flows']);
  }, [runs, queries]);
  const facts = [
    ['Done', `${count(batch.processedRecords)} of ${count(batch.totalRecords)}`],
    ['Succeeded', count(batch.successCount)],
    ['Failed', count(batch.failedRecords)],
    ['Cost', cost.data ? dollars(cost.data.totalCostUsd) : cost.error ? 'not known' : '…'],
  ] as const;
  return (
    <section aria-label="Progress" className="card">
      <p className="runs-head">
        <Status of={status} />
        <Link to={`/flows/${flowId}`}>
          <bdi>{flow.data?.name ?? flowId}</bdi>
        </Link>
        <span className="help">
          started <Time at={batch.startedAt} />
          {batch.completedAt && (
            <>
              , ended <Time at={batch.completedAt} />
            </>
          )}
        </span>
      </p>
      <progress className="runs-progress" max={100} value={progress} aria-label="Records that are done" />
      <Facts of={facts} isBig />
      <p role="status" className="visually-hidden">
        {runs ? '' : `The run is ${status}`}
      </p>
      {error && <p className="problem">{error}</p>}
    </section>
  );
}
