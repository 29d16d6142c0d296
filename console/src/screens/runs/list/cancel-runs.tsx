import { useApi } from '../../../api/api.ts';
import { oneByOne } from '../../../ui/selection/act-on-all.ts';
import { BulkButton } from '../../../ui/selection/bulk-button.tsx';
import type { Selection } from '../../../ui/selection/use-selection.ts';
import { count, counted } from '../../../ui/values/format.ts';
import { isOpen, type Run } from '../data/use-runs.ts';

/** Cancels the selected runs that are open. */
export function CancelRuns({ selection }: { selection: Selection<Run> }) {
  const { call } = useApi();
  const { rows } = selection;
  const open = rows.filter(isOpen);
  return (
    <BulkButton
      selection={selection}
      rows={open}
      titleOf={(runs) => `Cancel ${counted(runs, 'run')}?`}
      question={
        <>
          {open.length < rows.length && (
            <p>{`${count(open.length)} of the ${count(rows.length)} selected runs can be cancelled. The others are over.`}</p>
          )}
          <p>
            They stop within seconds, agents with their sub-agents; records of a batch that are running
            finish. What was done is not undone.
          </p>
        </>
      }
      progressOf={(done, all) => `Cancelled ${done} of ${all}`}
      act={oneByOne(({ id }) => call('POST /v1/runs/{id}/cancel', { params: { id } }))}
      changes={['runs', 'batch', 'agents']}
      successOf={(done) => `${counted(done, 'run')} cancelled`}
    >
      Cancel runs
    </BulkButton>
  );
}
