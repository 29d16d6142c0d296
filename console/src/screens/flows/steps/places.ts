import { joined } from '../../../ui/schema-form/paths.ts';
import { type Branch, branchesOf, outputsOf, type Step } from './steps.ts';

/** A place in a list of steps: that of the flow, or a branch of a condition. */
export interface Place {
  branch: Branch | undefined;
  at: number;
}

export interface FoundStep extends Place {
  step: Step;
  /** The list that it is in. */
  list: readonly Step[];
  /** In the body of the flow: `flowSteps.2.config.trueSteps.0`. */
  path: string;
}

/** Every step of a flow, also inside of conditions, in their order. */
export function* eachStep(list: readonly Step[], path = 'flowSteps', branch?: Branch): Generator<FoundStep> {
  for (const [at, step] of list.entries()) {
    const ownPath = joined(path, at);
    yield { step, list, at, branch, path: ownPath };
    for (const [name, inner] of branchesOf(step))
      yield* eachStep(inner, `${ownPath}.config.${name}`, { conditionId: step.id, name });
  }
}

/** The names that are known before the first step of a list. */
export function namesBefore(steps: readonly Step[], branch: Branch | undefined): readonly string[] {
  const around = branch && [...eachStep(steps)].find(({ step }) => step.id === branch.conditionId);
  return around ? [...namesBefore(steps, around.branch), ...outputsOf(around.list.slice(0, around.at))] : [];
}

/** The steps of a flow with another list in the place of one of its lists. */
export function withList(
  steps: readonly Step[],
  branch: Branch | undefined,
  list: readonly Step[],
): readonly Step[] {
  if (!branch) return list;
  return steps.map((step) => {
    if (step.id === branch.conditionId) return { ...step, config: { ...step.config, [branch.name]: list } };
    const branches = branchesOf(step).map(([name, inner]) => [name, withList(inner, branch, list)] as const);
    return branches.some(([name, inner]) => step.config?.[name] !== inner)
      ? { ...step, config: { ...step.config, ...Object.fromEntries(branches) } }
      : step;
  });
}

export function listAt(steps: readonly Step[], branch: Branch | undefined): readonly Step[] {
  if (!branch) return steps;
  for (const { step } of eachStep(steps)) {
    if (step.id === branch.conditionId)
      return branchesOf(step).find(([name]) => name === branch.name)?.[1] ?? [];
  }
  return [];
}
