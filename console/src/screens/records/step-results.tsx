import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { StatusWithAttempts } from '../../run/parts/attempts.tsx';
import { recordTexts } from '../../texts/records.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Button } from '../../ui/forms/button.tsx';
import { Empty, Loaded } from '../../ui/loading/loaded.tsx';
import { Table } from '../../ui/tables/table.tsx';
import { dollars, durationText } from '../../ui/values/format.ts';
import { Time } from '../../ui/values/time.tsx';

const pageRows = 20;

/** Each step that ran on a record, newest first. */
export function StepResults({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="records-panel" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{recordTexts.eachStep}</summary>
      {isOpen && <Steps id={id} />}
    </details>
  );
}

function Steps({ id }: { id: string }) {
  const [offset, setOffset] = useState(0);
  const steps = useCall(
    'records.step-results',
    { params: { id }, query: { limit: pageRows, offset } },
    { keepsLast: true },
  );
  return (
    <Loaded of={steps}>
      {({ data, pagination }) =>
        data.length === 0 && offset === 0 ? (
          <Empty title={recordTexts.noStepResultsYet} />
        ) : (
          <>
            <Table
              label={sharedTexts.steps}
              rows={data}
              keyOf={(step) => step.id}
              columns={[
                {
                  title: recordTexts.step,
                  cell: ({ stepName, stepPath }) => (
                    <>
                      <bdi>{stepName}</bdi>{' '}
                      {stepPath?.includes('/') && <code className="help">{stepPath}</code>}
                    </>
                  ),
                },
                {
                  title: sharedTexts.status,
                  cell: ({ status, attempts }) => <StatusWithAttempts status={status} attempts={attempts} />,
                },
                {
                  title: recordTexts.outputOrError,
                  cell: ({ errorMessage, outputPreview }) => (
                    <bdi>{(errorMessage ?? outputPreview ?? '').slice(0, 200)}</bdi>
                  ),
                  isExtra: true,
                },
                {
                  title: sharedTexts.duration,
                  cell: ({ durationMs }) => durationText(durationMs),
                  isNumber: true,
                },
                {
                  title: sharedTexts.cost,
                  cell: ({ modelUsed, estimatedCost }) =>
                    modelUsed && (estimatedCost === null ? sharedTexts.unknown : dollars(estimatedCost)),
                  isNumber: true,
                  isExtra: true,
                },
                { title: sharedTexts.when, cell: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
              ]}
            />
            <div className="actions">
              {offset > 0 && (
                <Button onPress={() => setOffset(Math.max(0, offset - pageRows))}>
                  {recordTexts.newerSteps}
                </Button>
              )}
              {pagination.hasMore && (
                <Button onPress={() => setOffset(offset + pageRows)}>{recordTexts.olderSteps}</Button>
              )}
            </div>
          </>
        )
      }
    </Loaded>
  );
}
