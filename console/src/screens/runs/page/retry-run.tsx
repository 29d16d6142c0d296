import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useApi } from '../../../api/api.ts';
import { refresh } from '../../../api/queries.ts';
import { runTexts } from '../../../texts/runs.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { CheckField } from '../../../ui/forms/check.tsx';
import { Segments } from '../../../ui/forms/segments.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { notify } from '../../../ui/notices.tsx';
import type { RunDetails } from '../data/run-details.ts';
import { runPath } from '../data/run-path.ts';
import { isUnfinished } from '../data/use-runs.ts';

type From = 'failure' | 'start';

const froms = [
  { value: 'failure', label: runTexts.fromFailure },
  { value: 'start', label: runTexts.fromStart },
] as const;

/** Whether the API retries such a run, as far as the run itself tells. */
const mayRetry = (run: RunDetails) =>
  (run.kind === 'flow' || run.kind === 'agent') && run.parentRunId === null && !isUnfinished(run);

/** Runs a flow or an agent again, from its failure or from the start, and goes to the new run. */
export function RetryRun({ run }: { run: RunDetails }) {
  const isCompleted = run.status === 'completed';
  const [isOpen, setOpen] = useState(false);
  const [from, setFrom] = useState<From>(isCompleted ? 'start' : 'failure');
  const [isUnsafe, setUnsafe] = useState(false);
  const { isPending, error, retry } = useRetry(run, () => setOpen(false));
  if (!mayRetry(run)) return null;
  return (
    <>
      <Button onPress={() => setOpen(true)}>{isCompleted ? runTexts.startAgain : runTexts.retryRun}</Button>
      <Dialog
        title={isCompleted ? runTexts.startAgainQuestion : runTexts.retryThisRun}
        isOpen={isOpen}
        onClose={() => isPending || setOpen(false)}
      >
        {!isCompleted && (
          <Segments label={runTexts.whereToRetryFrom} value={from} options={froms} onChange={setFrom} />
        )}
        <p className="retry-what">
          {from === 'failure' ? runTexts.aboutFromFailure : runTexts.aboutFromStart}
        </p>
        {run.kind === 'flow' && from === 'failure' && (
          <CheckField
            label={runTexts.repeatUnsafe}
            help={runTexts.aboutUnsafe}
            isOn={isUnsafe}
            onChange={setUnsafe}
          />
        )}
        {error && <FailureNotice error={error} />}
        <div className="actions">
          <Button onPress={() => setOpen(false)} isPending={isPending}>
            {sharedTexts.cancel}
          </Button>
          <Button look="primary" isPending={isPending} onPress={() => retry(from, isUnsafe)}>
            {from === 'failure' ? runTexts.retryFromFailure : runTexts.startAgain}
          </Button>
        </div>
      </Dialog>
    </>
  );
}

function useRetry(run: RunDetails, onStarted: () => void) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<Error>();
  const params = { id: run.id };

  async function start(from: From, unsafe: boolean): Promise<string> {
    if (run.kind === 'agent') {
      const options = { streamResponse: false, background: true } as const;
      return (await api.dispatch.retry({ params, body: { from, options } })).executionId;
    }
    // A flow runs as long as somebody reads its events: they are read to their end, also on another screen.
    const events = api.dispatch.retry.stream({ params, body: { from, unsafe } })[Symbol.asyncIterator]();
    const first = await events.next();
    if (first.done) throw new Error(runTexts.runDidNotStart);
    readToEnd(events);
    return first.value.executionId;
  }

  async function retry(from: From, unsafe: boolean): Promise<void> {
    setPending(true);
    setError(undefined);
    try {
      const id = await start(from, unsafe);
      onStarted();
      notify(sharedTexts.runStarted);
      await refresh(queries, ['runs', 'agents']);
      navigate({ to: runPath(id) });
    } catch (caught) {
      setError(caught as Error);
    } finally {
      setPending(false);
    }
  }
  return { isPending, error, retry };
}

/** The page of the new run says how it ends. */
async function readToEnd(events: AsyncIterator<unknown>): Promise<void> {
  try {
    while (!(await events.next()).done);
  } catch {
    // The connection was lost.
  }
}
