import { useEffect, useRef } from 'react';
import { useCall } from '../../../api/queries.ts';
import { runListTexts } from '../../../texts/run-list.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { Link } from '../../../ui/link.tsx';
import { FailureNotice } from '../../../ui/loading/failure.tsx';
import { Loading } from '../../../ui/loading/loaded.tsx';
import { useSettled } from '../../../ui/use-settled.ts';
import { ShownId } from '../../../ui/values/copy-id.tsx';
import { RunContents } from '../content/run-content.tsx';
import { RunFacts } from '../content/run-facts.tsx';
import { runPath } from '../data/run-path.ts';
import { isUnfinished, type ListedRun } from '../data/use-runs.ts';

interface Props {
  id: string;
  /** What the list knows of it. */
  row: ListedRun | undefined;
  onClose: () => void;
}

/** A run beside the list. The list keeps the focus, so that its arrows go on to the next run. */
export function RunPreview({ id, row, onClose }: Props) {
  const box = useRef<HTMLElement>(null);
  // Somebody who holds an arrow key passes many runs.
  const settled = useSettled(id, 150);
  const run = useCall(
    'runs.get',
    { params: { id: settled } },
    { everyMs: (fetched) => (fetched && isUnfinished(fetched) ? 3_000 : false) },
  );
  const shownRun = run.data?.id === id ? run.data : row;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each run is shown from its beginning
  useEffect(() => {
    box.current?.scrollTo(0, 0);
  }, [id]);
  return (
    <aside
      ref={box}
      className="preview"
      aria-label={runListTexts.preview}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        onClose();
        document.querySelector<HTMLElement>('[role="grid"]')?.focus();
      }}
    >
      <header className="preview-head">
        <h2>
          <bdi>{shownRun?.name ?? sharedTexts.oneRun}</bdi>
        </h2>
        <Button look="quiet" onPress={onClose} aria-label={runListTexts.closePreview}>
          ×
        </Button>
      </header>
      <p className="row">
        <Link to={runPath(id)} className="button">
          {sharedTexts.openRun}
        </Link>
        <ShownId id={id} label={sharedTexts.copyRunId} />
      </p>
      {shownRun && <RunFacts run={shownRun} />}
      {run.data?.id === id ? (
        <RunContents run={run.data} />
      ) : run.error && settled === id ? (
        <FailureNotice error={run.error} onRetry={() => run.refetch()} />
      ) : (
        <Loading />
      )}
    </aside>
  );
}
