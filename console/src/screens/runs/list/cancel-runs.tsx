import { useApi } from '../../../api/api.ts';
import { runListTexts } from '../../../texts/run-list.ts';
import { actOnEach } from '../../../ui/selection/act-on-all.ts';
import { BulkButton } from '../../../ui/selection/bulk-button.tsx';
import type { RowSelection } from '../../../ui/selection/use-selection.ts';
import { isUnfinished, type ListedRun } from '../data/use-runs.ts';

/** Cancels the selected runs that are open. */
export function CancelRuns({ selection }: { selection: RowSelection<ListedRun> }) {
  const api = useApi();
  const { rows } = selection;
  const open = rows.filter(isUnfinished);
  return (
    <BulkButton
      selection={selection}
      rows={open}
      titleOf={runListTexts.cancelQuestion}
      question={
        <>
          {open.length < rows.length && <p>{runListTexts.canBeCancelled(open.length, rows.length)}</p>}
          <p>{runListTexts.runsStop}</p>
        </>
      }
      progressOf={runListTexts.cancelledOf}
      act={actOnEach(({ id }) => api.runs.cancel({ params: { id } }))}
      changes={['runs', 'batch', 'agents']}
      successOf={runListTexts.runsCancelled}
    >
      {runListTexts.cancelRuns}
    </BulkButton>
  );
}
