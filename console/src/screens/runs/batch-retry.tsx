import { useNavigate } from '@tanstack/react-router';
import { useAction } from '../../api/queries.ts';
import { runTexts } from '../../texts/runs.ts';
import { ConfirmButton } from '../../ui/dialogs/confirm-button.tsx';
import type { FailureGroup } from './failure-groups.ts';

const retriedStepsMax = 5;

interface RetryProps {
  batchId: string;
  failedRecords: number;
  groups: readonly FailureGroup[];
}

/** Each record goes on after its last completed step. */
export function Retry({ batchId: id, failedRecords, groups }: RetryProps) {
  const navigate = useNavigate();
  const retry = useAction('batches.retry', {
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

export function RunAgain({ flowId, recordIds }: { flowId: string; recordIds: string[] }) {
  const navigate = useNavigate();
  const start = useAction('batches.run-flow', {
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
