import { createContext, type Dispatch, useReducer } from 'react';
import type { HeldListKey } from '../steps/lists.ts';
import { restoreStep, type Step } from '../steps/steps.ts';

interface Edits {
  steps: readonly Step[];
  past: readonly (readonly Step[])[];
  future: readonly (readonly Step[])[];
  /** As they are stored. */
  saved: readonly Step[];
  /** The last edit, so that one undo takes back what was typed into one field. */
  last: string | undefined;
}

export type StepsEdit =
  | { type: 'set'; steps: readonly Step[]; what?: string }
  | { type: 'bring-back'; removed: Step; at: number; within: HeldListKey | undefined }
  | { type: 'undo' }
  | { type: 'redo' }
  | { type: 'saved'; steps: readonly Step[] };

const pastMax = 100;

export function reduceEdits(state: Edits, edit: StepsEdit): Edits {
  const { steps, past, future } = state;
  switch (edit.type) {
    case 'set': {
      const continues = edit.what !== undefined && edit.what === state.last;
      const before = continues ? past : [...past.slice(-pastMax), steps];
      return { ...state, steps: edit.steps, past: before, future: [], last: edit.what };
    }
    case 'bring-back': {
      const next = restoreStep(steps, edit.removed, edit.at, edit.within);
      return next === steps ? state : reduceEdits(state, { type: 'set', steps: next });
    }
    case 'undo': {
      const to = past.at(-1);
      return to
        ? { ...state, steps: to, past: past.slice(0, -1), future: [steps, ...future], last: undefined }
        : state;
    }
    case 'redo': {
      const [to, ...rest] = future;
      return to ? { ...state, steps: to, past: [...past, steps], future: rest, last: undefined } : state;
    }
    case 'saved':
      return { ...state, saved: edit.steps, last: undefined };
  }
}

export const initialEdits = (steps: readonly Step[]): Edits => ({
  steps,
  saved: steps,
  past: [],
  future: [],
  last: undefined,
});

/** The steps of a flow while somebody edits them, with undo and redo. */
export const useEdits = (steps: readonly Step[]) => useReducer(reduceEdits, steps, initialEdits);

/** Edits the flow from inside of a list of steps that may be gone by then. */
export const EditFlow = createContext<Dispatch<StepsEdit>>(() => {});
