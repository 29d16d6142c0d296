import { findHeldLists, mapHeldLists } from './held-lists.ts';

interface StepLike {
  config?: unknown;
}

/** A step with its place in the definition: `2`, or `2.true.0` in a branch, `2.i.0` in a list that runs several times. */
export interface PlacedStep<Step> {
  step: Step;
  path: string;
}

/** Walks the steps of a list and of all lists that they hold, parents first. */
export function* walkSteps<Step extends StepLike>(
  steps: readonly Step[],
  base = '',
): Generator<PlacedStep<Step>, void> {
  for (const [index, step] of steps.entries()) {
    const path = `${base}${index}`;
    yield { step, path };
    for (const { key, steps: held } of findHeldLists(step.config)) {
      yield* walkSteps(held as Step[], `${path}.${key}.`);
    }
  }
}

/** A copy of the steps, including those that they hold, with each one changed. */
export const mapSteps = <Step extends { config: object }>(
  steps: readonly Step[],
  change: (step: Step) => Step,
): Step[] =>
  steps.map((step) => {
    const changed = change(step);
    return { ...changed, config: mapHeldLists(changed.config, (held) => mapSteps(held as Step[], change)) };
  });
