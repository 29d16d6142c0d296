import { holderPath, isOwnScope, listsAround, stepAt } from '../../domain/flows/steps/run-path.ts';
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
  const inside = isDone ? doneInside(state, path) : (state.earlier?.inside(path) ?? []);
  state.bounds.countSteps(inside.length);
  for (const result of inside) {
    const step = stepAt(state.steps, result.path);
    if (!step) continue;
    if (!isDone) await state.onEvent?.({ type: 'step_end', step, result, effects: false, isFinal: true });
    const between = listsAround(result.path).slice(listsAround(path).length);
    if (result.status === 'completed' && !between.some(isOwnScope)) setVariables(frame, step, result);
  }
}

/** In the order in which they ended. */
function doneInside({ done }: EngineState, path: string): readonly StepResult[] {
  if (!done) return [];
  const known = byHolder.get(done) ?? groupByHolder(done);
  byHolder.set(done, known);
  return known.get(path) ?? [];
}

/** A holder in a thousand items would otherwise look through all results a thousand times. */
const byHolder = new WeakMap<object, ReadonlyMap<string, StepResult[]>>();

function groupByHolder(done: ReadonlyMap<string, StepResult>): ReadonlyMap<string, StepResult[]> {
  const groups = new Map<string, StepResult[]>();
  for (const result of done.values()) {
    for (const list of listsAround(result.path)) {
      const holder = holderPath(list);
      const group = groups.get(holder);
      if (group) group.push(result);
      else groups.set(holder, [result]);
    }
  }
  return groups;
}
