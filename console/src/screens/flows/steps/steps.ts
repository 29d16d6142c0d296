import type { JsonObject } from '../../../ui/values/schema.ts';
import { type HeldListKey, listsIn, mapLists } from './lists.ts';

/** A step as requests contain it. The console knows the members that all types have. */
export interface Step extends JsonObject {
  id: string;
  type: string;
  name: string;
  enabled?: boolean;
  config?: JsonObject;
}

export const newStepId = () => `step-${crypto.randomUUID().slice(0, 8)}`;

/** A list with the step at `from` moved to `to`. */
export function moved(steps: readonly Step[], from: number, to: number): Step[] {
  const step = steps[from];
  return step && to >= 0 && to < steps.length ? steps.toSpliced(from, 1).toSpliced(to, 0, step) : [...steps];
}

/** The steps with one that was removed from a list; unchanged if they have it already, or the list is gone. */
export function restoreStep(
  steps: readonly Step[],
  removed: Step,
  at: number,
  within: HeldListKey | undefined,
): readonly Step[] {
  if (contains(steps, removed.id)) return steps;
  if (!within) return steps.toSpliced(at, 0, removed);
  const next = steps.map((step) =>
    mapLists(step, (inner, name) => {
      const isIt = step.id === within.holderId && name === within.name;
      return restoreStep(inner, removed, at, isIt ? undefined : within);
    }),
  );
  return next.some((step, place) => step !== steps[place]) ? next : steps;
}

/** A copy, whose steps, and those inside of them, have ids of their own. */
export const copyStep = (step: Step): Step => ({
  ...mapLists(step, (inner) => inner.map(copyStep)),
  id: newStepId(),
});

const contains = (steps: readonly Step[], id: string): boolean =>
  steps.some((step) => step.id === id || listsIn(step).some((list) => contains(list.steps, id)));

/** Without `order`: the place in the list is the order. Each step has an id, also inside of others. */
export const asSteps = (sent: readonly object[]): Step[] =>
  sent.map((step) => {
    const { order: _place, ...rest } = step as Step & { order?: number };
    return { ...mapLists(rest, asSteps), id: rest.id ?? newStepId() };
  });

/** The variable that takes the output of a step. */
export function stepVariable({ config }: Pick<Step, 'config'>): string | undefined {
  const name = config?.outputVariable ?? config?.variableName;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
