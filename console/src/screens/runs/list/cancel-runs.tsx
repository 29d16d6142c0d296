import { useApi } from '../../../api/api.ts';
import { runListTexts } from '../../../texts/run-list.ts';
import { oneByOne } from '../../../ui/selection/act-on-all.ts';
import { BulkButton } from '../../../ui/selection/bulk-button.tsx';
import type { Selection } from '../../../ui/selection/use-selection.ts';
import { isOpen, type Run } from '../data/use-runs.ts';

/** Cancels the selected runs that are open. */
export function CancelRuns({ selection }: { selection: Selection<Run> }) {
  const api = useApi();
  const { rows } = selection;
  const open = rows.filter(isOpen);
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
      act={oneByOne(({ id }) => api.runs.cancel({ params: { id } }))}
      changes={['runs', 'batch', 'agents']}
      successOf={runListTexts.runsCancelled}
    >
      {runListTexts.cancelRuns}
    </BulkButton>
  );
}
