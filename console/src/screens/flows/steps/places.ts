import { joined } from '../../../ui/schema-form/paths.ts';
import { allLists, type HeldListKey, listsIn, mapLists, withHeldList } from './lists.ts';
import type { Step } from './steps.ts';

/** A place in a list of steps: that of the flow, or one that a step holds. */
export interface StepPlace {
  within: HeldListKey | undefined;
  at: number;
}

export interface FoundStep extends StepPlace {
  step: Step;
  /** The list that it is in. */
  list: readonly Step[];
  /** In the body of the flow: `flowSteps.2.config.trueSteps.0`. */
  path: string;
}

/** Every step of a flow, also inside of others, in their order. */
export function* eachStep(
  list: readonly Step[],
  path = 'flowSteps',
  within?: HeldListKey,
): Generator<FoundStep> {
  for (const [at, step] of list.entries()) {
    const ownPath = joined(path, at);
    yield { step, list, at, within, path: ownPath };
    for (const { name, steps } of listsIn(step))
      yield* eachStep(steps, `${ownPath}.config.${name}`, { holderId: step.id, name });
  }
}

/** The steps of a flow with another list in the place of one of its lists. */
export function withList(
  steps: readonly Step[],
  within: HeldListKey | undefined,
  list: readonly Step[],
): readonly Step[] {
  if (!within) return list;
  const next = steps.map((step) =>
    step.id === within.holderId
      ? withHeldList(step, within.name, list)
      : mapLists(step, (inner) => withList(inner, within, list)),
  );
  return next.some((step, at) => step !== steps[at]) ? next : steps;
}

export function listAt(steps: readonly Step[], within: HeldListKey | undefined): readonly Step[] {
  if (!within) return steps;
  for (const { step } of eachStep(steps)) {
    if (step.id === within.holderId)
      return allLists(step).find(({ name }) => name === within.name)?.steps ?? [];
  }
  return [];
}
