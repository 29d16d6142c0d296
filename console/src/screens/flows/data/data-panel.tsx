import { lazy, Suspense } from 'react';
import { useKeptChoice } from '../../../ui/kept-choice.ts';
import { Loading } from '../../../ui/loading/loaded.tsx';
import type { Step } from '../steps/steps.ts';
import '../../../style/step-data.css';

const StepData = lazy(async () => ({ default: (await import('./step-data.tsx')).StepData }));

/** What a step gets and makes on the sample record. While it is closed, nothing runs. */
export function DataPanel({ step }: { step: Step }) {
  const [state, setState] = useKeptChoice('step-data', ['closed', 'open']);
  const isOpen = state === 'open';
  return (
    <details
      className="step-data"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => {
        if (open !== isOpen) setState(open ? 'open' : 'closed');
      }}
    >
      <summary>
        Data <span className="help">Input and output on a sample record</span>
      </summary>
      {isOpen && (
        <Suspense fallback={<Loading />}>
          <StepData key={step.id} step={step} />
        </Suspense>
      )}
    </details>
  );
}
