const branchNames = ['trueSteps', 'falseSteps'] as const;
export type BranchName = (typeof branchNames)[number];

export const branchesOf = (config: unknown): [BranchName, unknown[]][] =>
  branchNames.flatMap((name) => {
    const steps = (config as Record<string, unknown> | null | undefined)?.[name];
    return Array.isArray(steps) ? [[name, steps]] : [];
  });

/** The names of branches in paths: `2.true.0` is the first step of one. */
const inRun: Record<BranchName, string> = { trueSteps: 'true', falseSteps: 'false' };

interface StepLike {
  config?: unknown;
}

/** A step with its path: `2`, or `2.true.0` in a branch. */
export interface PlacedStep<Step> {
  step: Step;
  path: string;
}

/** Walks the steps of a list and of all branches, parents first. */
export function* walkSteps<Step extends StepLike>(
  steps: readonly Step[],
  base = '',
): Generator<PlacedStep<Step>, void> {
  for (const [index, step] of steps.entries()) {
    const path = `${base}${index}`;
    yield { step, path };
    for (const [name, branch] of branchesOf(step.config)) {
      yield* walkSteps(branch as Step[], `${path}.${inRun[name]}.`);
    }
  }
}

export const mapBranches = <Config extends object>(
  config: Config,
  change: (branch: unknown[]) => unknown[],
): Config => ({
  ...config,
  ...Object.fromEntries(branchesOf(config).map(([name, branch]) => [name, change(branch)])),
});

/** A copy of the steps, including those in branches, with each one changed. */
export const mapSteps = <Step extends { config: object }>(
  steps: readonly Step[],
  change: (step: Step) => Step,
): Step[] =>
  steps.map((step) => {
    const changed = change(step);
    return {
      ...changed,
      config: mapBranches(changed.config, (branch) => mapSteps(branch as Step[], change)),
    };
  });
