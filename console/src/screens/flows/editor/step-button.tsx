import type { KeyboardEvent } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { VariableMark } from '../data/marks.tsx';
import { useStepMarking } from '../data/use-step-marking.ts';
import { StepName } from '../steps/step-name.tsx';
import type { Step } from '../steps/steps.ts';

interface Props {
  step: Step;
  isSelected: boolean;
  hasFinding: boolean;
  onSelect: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
}

/** A step of the list. Pointing at it marks the steps that it reads from, and those that read what it sets. */
export function StepButton({ step, isSelected, hasFinding, onSelect, onKeyDown }: Props) {
  return (
    <button
      type="button"
      className={step.enabled === false ? 'step-card off' : 'step-card'}
      aria-current={isSelected ? 'step' : undefined}
      {...useStepMarking(step)}
      onClick={onSelect}
      onKeyDown={onKeyDown}
    >
      <span className="flows-grip" aria-hidden="true" />
      <StepName step={step} />
      <VariableMark stepId={step.id} />
      {hasFinding && <span className="status bad">{editorTexts.check}</span>}
    </button>
  );
}
