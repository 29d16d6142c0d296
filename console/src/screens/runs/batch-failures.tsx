import { useMemo } from 'react';
import type { OperationResponse } from '../../api/api.ts';
import { recordPath } from '../../routing/record-paths.ts';
import { countText } from '../../texts/language.ts';
import { runTexts } from '../../texts/runs.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loading/loaded.tsx';
import { Retry, RunAgain } from './batch-retry.tsx';
import { useStepResults } from './data/use-step-results.ts';
import { type FailureGroup, groupFailures } from './failure-groups.ts';

type Batch = OperationResponse<'batches.status'>;

/** A batch of chosen records takes so many. */
const againMax = 1_000;
const groupsMax = 50;
const recordsMax = 20;

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
        <strong>{countText(records.size)}</strong> × <bdi>{step}</bdi>: <bdi>{reason}</bdi>
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
