import { lazy } from 'react';
import type { Step } from '../steps/steps.ts';
import { KeptPanel } from './kept-panel.tsx';

const StepData = lazy(async () => ({ default: (await import('./step-data.tsx')).StepData }));

/** What a step gets and makes on the sample record. */
export const DataPanel = ({ step }: { step: Step }) => (
  <KeptPanel name="step-data" title="Data" summary="Input and output on a sample record">
    <StepData key={step.id} step={step} />
  </KeptPanel>
);
