/** The path of a member: `flowSteps.2.config`. */
export const joined = (path: string, name: string | number) => (path ? `${path}.${name}` : String(name));

/** Whether a member, or something in it, is wrong. */
export const hasProblem = (problems: Readonly<Record<string, string>>, path: string) =>
  Object.keys(problems).some((each) => each === path || each.startsWith(`${path}.`));
