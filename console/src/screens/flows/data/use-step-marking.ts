import type { FocusEvent } from 'react';
import type { Step } from '../steps/steps.ts';
import { useEditing } from './editing.tsx';
import { markedByStep } from './marked-steps.ts';
import { useMarking } from './marks.tsx';

/** For the card of a step: marks what it has to do with others. A click leaves the focus on it, which marks nothing. */
export function useStepMarking(step: Step) {
  const { steps } = useEditing();
  const { onFocus, ...marking } = useMarking(() => markedByStep(steps, step));
  return { ...marking, onFocus: ({ target }: FocusEvent) => target.matches(':focus-visible') && onFocus() };
}
