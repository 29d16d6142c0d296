import { lazy } from 'react';
import { stepDataTexts } from '../../../texts/step-data.ts';
import type { Step } from '../steps/steps.ts';
import { KeptPanel } from './kept-panel.tsx';

const StepData = lazy(async () => ({ default: (await import('./step-data.tsx')).StepData }));

/** What a step gets and makes on the sample record. */
export const DataPanel = ({ step }: { step: Step }) => (
  <KeptPanel name="step-data" title={stepDataTexts.data} summary={stepDataTexts.inputAndOutput}>
    <StepData key={step.id} step={step} />
  </KeptPanel>
);
