import { useState } from 'react';
import { recordPath } from '../../routing/record-paths.ts';
import { StatusWithAttempts } from '../../run/parts/attempts.tsx';
import { runTexts } from '../../texts/runs.ts';
import { sharedTexts } from '../../texts/shared.ts';
import { Segments } from '../../ui/forms/segments.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { PagedTable, type TableColumn } from '../../ui/tables/paged-table.tsx';
import { dollars, durationText, shortDollars } from '../../ui/values/format.ts';
import { useStepResults } from './data/use-step-results.ts';
import type { ListedStepResult } from './failure-groups.ts';

const statuses = [
  { value: '', label: sharedTexts.all },
  { value: 'completed', label: sharedTexts.completed },
  { value: 'failed', label: sharedTexts.failed },
  { value: 'skipped', label: sharedTexts.skipped },
] as const;

function costOf({ estimatedCost, reusedFrom, savedCost }: ListedStepResult): string {
  if (reusedFrom) return savedCost ? runTexts.reusedSaved(dollars(savedCost)) : runTexts.reused;
  return estimatedCost ? shortDollars(estimatedCost) : '';
}

const columns: TableColumn<ListedStepResult>[] = [
  {
    title: runTexts.recordAndStep,
    cell: ({ recordId, recordName, stepName, stepPath }) => (
      <>
        {recordId && (
          <Link to={recordPath(recordId)}>
            <bdi>{recordName ?? recordId}</bdi>
          </Link>
        )}
        <div className="help">
          <bdi>{stepName}</bdi> {stepPath?.includes('/') && <code>{stepPath}</code>}
        </div>
      </>
    ),
  },
  {
    title: sharedTexts.status,
    cell: ({ status, attempts }) => <StatusWithAttempts status={status} attempts={attempts} />,
  },
  {
    title: sharedTexts.output,
    width: 'wide',
    cell: ({ outputPreview, errorMessage }) => (
      <bdi>{(errorMessage ?? outputPreview ?? '').slice(0, 200)}</bdi>
    ),
    isExtra: true,
  },
  { title: runTexts.time, cell: ({ durationMs }) => durationText(durationMs), isNumber: true, isExtra: true },
  {
    title: sharedTexts.cost,
    cell: costOf,
    isNumber: true,
    isExtra: true,
  },
];

/** What each step did on each record, newest first. */
export function BatchSteps(props: { flowId: string; batchId: string; isRunning: boolean }) {
  const { flowId, batchId, isRunning } = props;
  const [status, setStatus] = useState<(typeof statuses)[number]['value']>('');
  const pages = useStepResults(flowId, { batchId, ...(status && { status }) }, isRunning && 5_000);
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">{sharedTexts.steps}</h2>
      <PagedTable
        label={sharedTexts.steps}
        tools={<Segments label={sharedTexts.status} value={status} options={statuses} onChange={setStatus} />}
        columns={columns}
        keyOf={({ id }) => id}
        pages={pages}
        empty={<Empty title={isRunning ? runTexts.noRecordIsDoneYet : runTexts.noStepHasThisStatus} />}
      />
    </section>
  );
}
