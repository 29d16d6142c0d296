import { useState } from 'react';
import { recordPath } from '../../routing/record-paths.ts';
import { StatusWithAttempts } from '../../run/attempts.tsx';
import { Segments } from '../../ui/forms/segments.tsx';
import { Link } from '../../ui/link.tsx';
import { Empty } from '../../ui/loading/loaded.tsx';
import { type Column, PagedTable } from '../../ui/tables/paged-table.tsx';
import { dollars, duration } from '../../ui/values/format.ts';
import type { StepResult } from './failure-groups.ts';
import { useStepResults } from './use-step-results.ts';

const statuses = [
  { value: '', label: 'All' },
  { value: 'completed', label: 'Completed' },
  { value: 'failed', label: 'Failed' },
  { value: 'skipped', label: 'Skipped' },
] as const;

const columns: Column<StepResult>[] = [
  {
    title: 'Record and step',
    cell: ({ recordId, recordName, stepName }) => (
      <>
        {recordId && (
          <Link to={recordPath(recordId)}>
            <bdi>{recordName ?? recordId}</bdi>
          </Link>
        )}
        <div className="help">
          <bdi>{stepName}</bdi>
        </div>
      </>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, attempts }) => <StatusWithAttempts status={status} attempts={attempts} />,
  },
  {
    title: 'Output',
    width: 'wide',
    cell: ({ outputPreview, errorMessage }) => (
      <bdi>{(errorMessage ?? outputPreview ?? '').slice(0, 200)}</bdi>
    ),
    isExtra: true,
  },
  { title: 'Time', cell: ({ durationMs }) => duration(durationMs), isNumber: true, isExtra: true },
  {
    title: 'Cost',
    cell: ({ estimatedCost }) => (estimatedCost ? dollars(estimatedCost) : ''),
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
      <h2 id="steps">Steps</h2>
      <PagedTable
        label="Steps"
        tools={<Segments label="Status" value={status} options={statuses} onChange={setStatus} />}
        columns={columns}
        keyOf={({ id }) => id}
        pages={pages}
        empty={<Empty title={isRunning ? 'No record is done yet' : 'No steps of this status'} />}
      />
    </section>
  );
}
