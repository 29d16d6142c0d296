import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { AnswerOf } from '../../api/api.ts';
import { useAction } from '../../api/queries.ts';
import { recordPath } from '../../routing/record-paths.ts';
import { count } from '../../texts/language.ts';
import { runTexts } from '../../texts/runs.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { type FailureGroup, groupFailures } from './failure-groups.ts';
import { useStepResults } from './use-step-results.ts';

type Batch = AnswerOf<'GET /v1/batch/status/{id}'>;

/** A batch of chosen records takes so many. */
const againMax = 1_000;
const groupsMax = 50;
const recordsMax = 20;
const retriedStepsMax = 5;

/** What failed, by its reason. */
export const BatchFailures = ({ batch, isRunning }: { batch: Batch; isRunning: boolean }) =>
  batch.failedRecords > 0 && (
    <section aria-labelledby="failures">
      <h2 id="failures">{runTexts.failures}</h2>
      <Failures batch={batch} isRunning={isRunning} />
    </section>
  );

function Failures({ batch, isRunning }: { batch: Batch; isRunning: boolean }) {
  const { batchExecutionId: batchId, flowId, failedRecords } = batch;
  const results = useStepResults(flowId, { batchId, status: 'failed' }, isRunning && 5_000);
  const { rows, hasNextPage, isFetchingNextPage, fetchNextPage } = results;
  const groups = useMemo(() => groupFailures(rows ?? []), [rows]);
  const failed = useMemo(() => [...new Set(groups.flatMap(({ records }) => [...records.keys()]))], [groups]);
  return (
    <Loaded of={{ ...results, data: rows }}>
      {() => (
        <>
          <p className="help">
            {runTexts.showingFailedRecords(failed.length, failedRecords)}{' '}
            {failed.length < failedRecords && !hasNextPage && !isRunning && runTexts.othersEndedBefore}
          </p>
          <ul className="runs-groups">
            {groups.slice(0, groupsMax).map((group) => (
              <Group key={group.key} group={group} />
            ))}
          </ul>
          {groups.length > groupsMax && (
            <p className="help">{runTexts.moreReasons(groups.length - groupsMax)}</p>
          )}
          <div className="actions">
            {hasNextPage && (
              <Button onPress={() => fetchNextPage()} isPending={isFetchingNextPage}>
                {runTexts.showMoreFailures}
              </Button>
            )}
            {!isRunning && failed.length > 0 && (
              <>
                <Retry batchId={batchId} failedRecords={failedRecords} groups={groups} />
                <RunAgain flowId={flowId} recordIds={failed.slice(0, againMax)} />
              </>
            )}
          </div>
        </>
      )}
    </Loaded>
  );
}

const Group = ({ group: { step, reason, records } }: { group: FailureGroup }) => (
  <li>
    <details>
      <summary>
        <strong>{count(records.size)}</strong> × <bdi>{step}</bdi>: <bdi>{reason}</bdi>
      </summary>
      <ul>
        {[...records].slice(0, recordsMax).map(([id, name]) => (
          <li key={id}>
            <Link to={recordPath(id)}>
              <bdi>{name}</bdi>
            </Link>
          </li>
        ))}
        {records.size > recordsMax && <li>{runTexts.more(records.size - recordsMax)}</li>}
      </ul>
    </details>
  </li>
);

interface RetryProps {
  batchId: string;
  failedRecords: number;
  groups: readonly FailureGroup[];
}

/** Each record goes on after its last completed step. */
function Retry({ batchId: id, failedRecords, groups }: RetryProps) {
  const navigate = useNavigate();
  const retry = useAction('POST /v1/batch/{id}/retry', {
    changes: ['batch'],
    onSuccess: ({ batchId }) => navigate({ to: `/runs/batches/${batchId}` }),
  });
  return (
    <ConfirmButton
      look="plain"
      title={runTexts.retryQuestion(failedRecords)}
      question={<WhatIsReused groups={groups} />}
      confirm={runTexts.retry}
      action={() => retry.mutateAsync({ params: { id }, body: { records: 'failed', from: 'failed-step' } })}
    >
      {runTexts.retryRecords(failedRecords)}
    </ConfirmButton>
  );
}

function WhatIsReused({ groups }: Pick<RetryProps, 'groups'>) {
  const bySteps = [...Map.groupBy(groups, ({ step }) => step)].slice(0, retriedStepsMax);
  return (
    <>
      <p>{runTexts.retryGoesOn}</p>
      {bySteps.map(([step, ofStep]) => (
        <p key={step}>
          {runTexts.retryFrom(
            new Set(ofStep.flatMap(({ records }) => [...records.keys()])).size,
            <bdi>{step}</bdi>,
          )}
        </p>
      ))}
    </>
  );
}

function RunAgain({ flowId, recordIds }: { flowId: string; recordIds: string[] }) {
  const navigate = useNavigate();
  const start = useAction('POST /v1/batch/flow', {
    changes: ['batch'],
    onSuccess: ({ batchExecutionId }) => navigate({ to: `/runs/batches/${batchExecutionId}` }),
  });
  return (
    <ConfirmButton
      look="quiet"
      title={runTexts.runPublishedQuestion(recordIds.length)}
      question={runTexts.runsFromFirstStep}
      confirm={runTexts.run}
      action={() => start.mutateAsync({ body: { flowId, recordIds } })}
    >
      {runTexts.runPublished}
    </ConfirmButton>
  );
}
