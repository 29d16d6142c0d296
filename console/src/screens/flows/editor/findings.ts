export interface Findings {
  /** What is wrong, by the path of the member: `flowSteps.2.config.template`. */
  problems: Readonly<Record<string, string>>;
  /** The paths of the steps with findings, and of the steps around them. */
  stepsWith: ReadonlySet<string>;
  errors: number;
  warnings: number;
  /** Those of no step. */
  general: readonly string[];
}

interface Finding {
  path: string;
  message: string;
}

export function groupFindings(validation: { errors: Finding[]; warnings: Finding[] } | undefined): Findings {
  const { errors = [], warnings = [] } = validation ?? {};
  const problems: Record<string, string> = {};
  const stepsWith = new Set<string>();
  const general: string[] = [];
  for (const { path, message } of [...errors, ...warnings]) {
    problems[path] ??= message;
    const places = path.match(/^flowSteps\.\d+/) ? stepsOn(path) : [];
    if (places.length === 0) general.push(message);
    for (const place of places) stepsWith.add(place);
  }
  return { problems, stepsWith, errors: errors.length, warnings: warnings.length, general };
}

/** Every step that a path goes through: a nested one, and those around it. */
const stepsOn = (path: string): string[] =>
  [...path.matchAll(/[sS]teps\.\d+/g)].map((match) => path.slice(0, match.index + match[0].length));
