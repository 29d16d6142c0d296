import { useAction } from '../../../api/queries.ts';
import { baseUrl } from '../../../session/base-url.ts';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { Link } from '../../../ui/link.tsx';
import { notify } from '../../../ui/notices.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { isUnfinished } from '../data/use-runs.ts';
import { curlCommand } from './curl.ts';

const consequences: Record<string, string> = {
  batch: runTexts.runningRecordsFinish,
  agent: runTexts.agentStops,
  tool: runTexts.toolStops,
};

/** What one can do with a run. */
export function RunActions({ run }: { run: RunDetails }) {
  const { id, kind } = run;
  const cancel = useAction('runs.cancel', {
    changes: ['runs', 'batch', 'agents'],
    onSuccess: () => notify(runTexts.runCancelled),
  });
  return (
    <>
      {kind === 'batch' && (
        <Link to={`/runs/batches/${id}`} className="button">
          {sharedTexts.openBatch}
        </Link>
      )}
      {kind === 'agent' && run.agentId && (
        <Link to={`/runs/agents/${run.agentId}/${id}`} className="button">
          {runTexts.openAgentRun}
        </Link>
      )}
      <CopyButton text={curlCommand(run, baseUrl)} label={runTexts.copyAsCurl} />
      {isUnfinished(run) && (
        <ConfirmButton
          title={runTexts.cancelThisRun}
          question={consequences[kind] ?? runTexts.runStops}
          confirm={runTexts.cancelRun}
          action={() => cancel.mutateAsync({ params: { id } })}
        >
          {runTexts.cancelRun}
        </ConfirmButton>
      )}
    </>
  );
}
