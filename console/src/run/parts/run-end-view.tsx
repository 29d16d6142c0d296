import { runViewTexts } from '../../texts/run-view.ts';
import { valueText } from '../../texts/values.ts';
import { FailureNotice } from '../../ui/loading/failure.tsx';
import { StatusLabel } from '../../ui/status.tsx';
import { LabelledAttempts } from './attempts.tsx';
import { usageSummary } from './facts.ts';
import type { RunEnd } from './run-end.ts';
import { Labelled } from './tool-view.tsx';

/** How a run ended, why it failed if it did, and what it took. */
export function RunEndView({ end, hasOutput = false }: { end: RunEnd; hasOutput?: boolean }) {
  const { status, error, stopReason, output, attempts } = end;
  return (
    <>
      {error && <FailureNotice error={new Error(error)} />}
      <LabelledAttempts attempts={attempts} />
      {hasOutput && output !== undefined && output !== null && (
        <Labelled title={runViewTexts.finalOutput} value={output} />
      )}
      <p className="help">
        <StatusLabel of={status} /> {usageSummary(end)}
        {stopReason && !['end_turn', status].includes(stopReason) && ` · ${valueText(stopReason)}`}
      </p>
    </>
  );
}
