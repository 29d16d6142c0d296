import { runViewTexts } from '../../texts/run-view.ts';
import { valueText } from '../../texts/values.ts';
import { Failure } from '../../ui/loading/failure.tsx';
import { Status } from '../../ui/status.tsx';
import { LabelledAttempts } from './attempts.tsx';
import { factsOf } from './facts.ts';
import type { RunEnd } from './run-end.ts';
import { Labelled } from './tool-view.tsx';

/** How a run ended, why it failed if it did, and what it took. */
export function RunEndView({ end, hasOutput = false }: { end: RunEnd; hasOutput?: boolean }) {
  const { status, error, stopReason, output, attempts } = end;
  return (
    <>
      {error && <Failure error={new Error(error)} />}
      <LabelledAttempts attempts={attempts} />
      {hasOutput && output !== undefined && output !== null && (
        <Labelled title={runViewTexts.finalOutput} value={output} />
      )}
      <p className="help">
        <Status of={status} /> {factsOf(end)}
        {stopReason && !['end_turn', status].includes(stopReason) && ` · ${valueText(stopReason)}`}
      </p>
    </>
  );
}
