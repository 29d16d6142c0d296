const branchNames = ['trueSteps', 'falseSteps'] as const;
export type BranchName = (typeof branchNames)[number];

/** The branches of a conditional, by their names in its config. */
export const branchesOf = (config: unknown): [BranchName, unknown[]][] =>
  branchNames.flatMap((name) => {
    const steps = (config as Record<string, unknown> | null | undefined)?.[name];
    return Array.isArray(steps) ? [[name, steps]] : [];
  });

/** As a run names the branch: `2.true.0` is the first step of one. */
const inRun: Record<BranchName, string> = { trueSteps: 'true', falseSteps: 'false' };

interface StepLike {
  config?: unknown;
}

/** A step, and its place as a run names it: `2`, or `2.true.0` in a branch. */
export interface PlacedStep<Step> {
  step: Step;
  path: string;
}

/** The steps of a list and of all branches, each before those nested in it. */
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

/** A config with something else in place of each of its branches. */
export const mapBranches = <Config extends object>(
  config: Config,
  change: (branch: unknown[]) => unknown[],
): Config => ({
  ...config,
  ...Object.fromEntries(branchesOf(config).map(([name, branch]) => [name, change(branch)])),
});

/** The steps with a change to each of them, those of branches too. */
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
