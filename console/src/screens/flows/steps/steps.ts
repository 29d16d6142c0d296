import type { JsonObject } from '../../../ui/values/schema.ts';

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

/** A list of steps: that of the flow, or a branch of one of its conditions. */
export interface Branch {
  conditionId: string;
  name: string;
}

/** The steps with one that was removed from a list; unchanged if they have it already, or the list is gone. */
export function broughtBack(
  steps: readonly Step[],
  removed: Step,
  at: number,
  branch: Branch | undefined,
): readonly Step[] {
  if (contains(steps, removed.id)) return steps;
  if (!branch) return steps.toSpliced(at, 0, removed);
  const next = steps.map((step) => {
    const branches = branchesOf(step).map(([name, inner]) => {
      const isIt = step.id === branch.conditionId && name === branch.name;
      return [name, broughtBack(inner, removed, at, isIt ? undefined : branch)] as const;
    });
    const changed = branches.filter(([name, inner]) => step.config?.[name] !== inner);
    return changed.length > 0
      ? { ...step, config: { ...step.config, ...Object.fromEntries(changed) } }
      : step;
  });
  return next.some((step, place) => step !== steps[place]) ? next : steps;
}

/** A copy, whose steps, and those inside of them, have ids of their own. */
export const copyOf = (step: Step): Step => {
  const branches = branchesOf(step).map(([name, inner]) => [name, inner.map(copyOf)] as const);
  return {
    ...step,
    id: newStepId(),
    ...(branches.length > 0 && { config: { ...step.config, ...Object.fromEntries(branches) } }),
  };
};

const contains = (steps: readonly Step[], id: string): boolean =>
  steps.some((step) => step.id === id || branchesOf(step).some(([, inner]) => contains(inner, id)));

export const branchesOf = ({ config }: Step): [name: string, steps: readonly Step[]][] =>
  ['trueSteps', 'falseSteps'].flatMap((name) =>
    Array.isArray(config?.[name]) ? [[name, config[name] as Step[]]] : [],
  );

/** Without `order`: the place in the list is the order. Each step has an id, also inside of conditions. */
export const asSteps = (sent: readonly object[]): Step[] =>
  sent.map((step) => {
    const { order: _place, ...rest } = step as Step & { order?: number };
    const branches = branchesOf(rest).map(([name, inner]) => [name, asSteps(inner)] as const);
    return {
      ...rest,
      id: rest.id ?? newStepId(),
      ...(branches.length > 0 && { config: { ...rest.config, ...Object.fromEntries(branches) } }),
    };
  });

/** The variable that takes the output of a step. */
export function variableOf({ config }: Step): string | undefined {
  const name = config?.outputVariable ?? config?.variableName;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** The names that earlier steps give their results, also inside of conditions. */
export const outputsOf = (steps: readonly Step[]): string[] => [
  ...new Set(
    steps.flatMap((step) =>
      [...branchesOf(step).flatMap(([, inner]) => outputsOf(inner)), variableOf(step) ?? []].flat(),
    ),
  ),
];
