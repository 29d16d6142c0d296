import { useRef } from 'react';
import { runViewTexts } from '../texts/run-view.ts';
import { CopyButton } from '../ui/forms/copy-button.tsx';
import { FlowQuestion } from './flow-question.tsx';
import { type FlowWait, WaitOrigin } from './wait-origin.tsx';
import '../style/run.css';

/** What a run of a flow waits for: questions to answer here, and requests to addresses. */
export function FlowWaits({ waits }: { waits: readonly FlowWait[] }) {
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box} tabIndex={-1} className="stack run-waits">
      {waits.map((wait) =>
        wait.kind === 'approval' ? (
          <FlowQuestion key={`${wait.runId} ${wait.stepPath}`} wait={wait} box={box} />
        ) : (
          <Callback key={`${wait.runId} ${wait.stepPath}`} wait={wait} />
        ),
      )}
    </div>
  );
}

const Callback = ({ wait }: { wait: FlowWait }) => (
  <section className="run-wait" aria-label={runViewTexts.callbackOf(wait.stepName)}>
    <p className="run-question">{runViewTexts.waitsForRequest(<bdi>{wait.stepName}</bdi>)}</p>
    <WaitOrigin wait={wait} />
    {wait.callbackUrl && (
      <p className="run-address">
        <code>{wait.callbackUrl}</code>
        <CopyButton text={wait.callbackUrl} label={runViewTexts.copyAddress} />
      </p>
    )}
  </section>
);
