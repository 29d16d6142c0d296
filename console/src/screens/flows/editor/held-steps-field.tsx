import type { ComponentType } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import type { CustomField } from '../../../ui/schema-form/form-context.ts';
import type { HeldListKey } from '../steps/lists.ts';
import { asSteps, type Step } from '../steps/steps.ts';
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

interface FieldsetProps
  extends HoldingStep,
    Pick<CustomField, 'name' | 'label' | 'path' | 'value' | 'onChange'> {
  step: Step;
}

/** The only list of a step, or one of the two of a condition. */
export const HeldStepsFieldset = ({ step, name, ...field }: FieldsetProps) => (
  <fieldset>
    <legend>{legendOf(step, name)}</legend>
    <HeldStepsField {...field} within={{ holderId: step.id, name }} />
  </fieldset>
);

function legendOf({ type }: Step, name: string): string {
  if (name === 'trueSteps') return editorTexts.ifTrue;
  if (name === 'falseSteps') return editorTexts.ifFalse;
  if (type === 'reduce') return editorTexts.stepsForEachChunk;
  return type === 'loop' ? editorTexts.stepsOfEachPass : editorTexts.stepsForEachItem;
}
