import { useAction } from '../../../api/queries.ts';
import { baseUrl } from '../../../session/base-url.ts';
import { ConfirmButton } from '../../../ui/dialogs/confirm-button.tsx';
import { CopyButton } from '../../../ui/forms/copy-button.tsx';
import { Link } from '../../../ui/link.tsx';
import { notify } from '../../../ui/notices.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { isOpen } from '../data/use-runs.ts';
import { curlOf } from './curl.ts';

const consequences: Record<string, string> = {
  batch: 'Records that are running finish. The others do not start.',
  agent: 'It stops within seconds, and its sub-agents with it. What its tools did is not undone.',
};

/** What one can do with a run. */
export function RunActions({ run }: { run: RunDetails }) {
  const { id, kind } = run;
  const cancel = useAction('POST /v1/runs/{id}/cancel', {
    changes: ['runs', 'batch', 'agents'],
    onSuccess: () => notify('Run cancelled'),
  });
  return (
    <>
      {kind === 'batch' && (
        <Link to={`/runs/batches/${id}`} className="button">
          Open batch
        </Link>
      )}
      {kind === 'agent' && run.agentId && (
        <Link to={`/runs/agents/${run.agentId}/${id}`} className="button">
          Open agent run
        </Link>
      )}
      <CopyButton text={curlOf(run, baseUrl)} label="Copy as curl" />
      {isOpen(run) && (
        <ConfirmButton
          title="Cancel this run?"
          question={consequences[kind] ?? 'It stops within seconds. What its steps did is not undone.'}
          confirm="Cancel run"
          action={() => cancel.mutateAsync({ params: { id } })}
        >
          Cancel run
        </ConfirmButton>
      )}
    </>
  );
}
