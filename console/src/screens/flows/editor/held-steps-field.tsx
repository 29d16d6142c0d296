import type { ComponentType } from 'react';
import type { HeldListKey } from '../steps/lists.ts';
import { asSteps } from '../steps/steps.ts';
import type { StepsEditorProps } from './steps-editor-props.ts';

/** What the lists of one step have in common. */
export interface HoldingStep extends Pick<StepsEditorProps, 'findings' | 'known'> {
  /** Edits the steps of a list that the step holds. */
  HeldSteps: ComponentType<StepsEditorProps>;
}

interface Props extends HoldingStep, Pick<StepsEditorProps, 'label' | 'path'> {
  within: HeldListKey;
  value: unknown;
  onChange: (steps: unknown) => void;
}

/** The steps of a list that a step holds. */
export const HeldStepsField = ({ HeldSteps, value, ...props }: Props) => (
  <HeldSteps steps={asSteps(Array.isArray(value) ? value : [])} {...props} />
);
