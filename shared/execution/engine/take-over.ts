import { isOwnScope, listsAround, stepAt } from '../../domain/flows/steps/run-path.ts';
import type { EngineState, StepResult } from './engine.ts';
import { type Frame, setVariables } from './frame.ts';

/**
 * Takes over what steps in a step have done, whose own result is known: what they set in the scope around it is set. Those
 * of an earlier run become results of this one.
 */
export async function takeOverInside(
  state: EngineState,
  frame: Frame,
  path: string,
  isDone: boolean,
): Promise<void> {
  for (const result of isDone ? doneInside(state, path) : (state.earlier?.inside(path) ?? [])) {
    const step = stepAt(state.steps, result.path);
    if (!step) continue;
    if (!isDone) await state.onEvent?.({ type: 'step_end', step, result, effects: false, isFinal: true });
    const between = listsAround(result.path).slice(listsAround(path).length);
    if (result.status === 'completed' && !between.some(isOwnScope)) setVariables(frame, step, result);
  }
}

const doneInside = ({ done }: EngineState, path: string): StepResult[] =>
  [...(done?.values() ?? [])].filter((result) => result.path.startsWith(`${path}.`));
