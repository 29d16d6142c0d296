import { findHeldLists } from '../../../../../shared/domain/flows/steps/held-lists.ts';
import { isObject, type JsonObject } from '../../../ui/values/schema.ts';
import type { Step } from './steps.ts';

/** A list of steps that a step holds. */
export interface HeldListKey {
  holderId: string;
  /** Where it is in the config of the step: `trueSteps`, `steps`, `branches.1.steps`. */
  name: string;
}

export interface HeldStepList {
  name: string;
  steps: readonly Step[];
}

/** The lists that a step has, in the order in which they stand. */
export const listsIn = ({ config }: Pick<Step, 'config'>): HeldStepList[] =>
  findHeldLists(config).map(({ at, steps }) => ({ name: at.join('.'), steps: steps as Step[] }));

/** The lists that a step of each type has, also before its config names them. */
const listNames: Readonly<Record<string, readonly string[]>> = {
  conditional: ['trueSteps', 'falseSteps'],
  map: ['steps'],
  loop: ['steps'],
  reduce: ['steps'],
};

/** The lists that a step can have, with those that its config does not name yet. */
export function allLists(step: Step): HeldStepList[] {
  const present = listsIn(step);
  const names = listNames[step.type];
  if (!names) return step.type === 'parallel' ? present : [];
  return names.map((name) => present.find((list) => list.name === name) ?? { name, steps: [] });
}

/** Whether a step can hold others. */
export const holdsSteps = ({ type }: Pick<Step, 'type'>) => type in listNames || type === 'parallel';

/** The step with another list in the place of one that it holds. */
export const withHeldList = (step: Step, name: string, list: readonly Step[]): Step => ({
  ...step,
  config: setIn(step.config ?? {}, name.split('.'), list) as JsonObject,
});

/** The step with each list that it holds changed; the step itself, if none was. */
export function mapLists(
  step: Step,
  change: (steps: readonly Step[], name: string) => readonly Step[],
): Step {
  let changed = step;
  for (const { name, steps } of listsIn(step)) {
    const next = change(steps, name);
    if (next !== steps) changed = withHeldList(changed, name, next);
  }
  return changed;
}

function setIn(value: unknown, [name, ...rest]: readonly string[], list: readonly Step[]): unknown {
  if (name === undefined) return list;
  if (!Array.isArray(value)) {
    const object = isObject(value) ? value : {};
    return { ...object, [name]: setIn(object[name], rest, list) };
  }
  const index = Number(name);
  return index < value.length ? value.with(index, setIn(value[index], rest, list)) : value;
}

/** The names of the branches of a parallel step, in their order. */
export const branchNames = ({ config }: Pick<Step, 'config'>): string[] =>
  Array.isArray(config?.branches)
    ? config.branches.map((branch: unknown) =>
        isObject(branch) && typeof branch.name === 'string' ? branch.name : '',
      )
    : [];
