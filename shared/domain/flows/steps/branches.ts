const branchNames = ['trueSteps', 'falseSteps'] as const;

/** The branches of a conditional, by their names in its config. */
export const branchesOf = (config: unknown): [string, unknown[]][] =>
  branchNames.flatMap((name) => {
    const steps = (config as Record<string, unknown> | null | undefined)?.[name];
    return Array.isArray(steps) ? [[name, steps]] : [];
  });
