import { eachStep } from '../steps/places.ts';
import { branchesOf, type Step, variableOf } from '../steps/steps.ts';

/** What a step did when it ran, for later runs in which it does not run again. */
export interface StepOutcome {
  status: 'completed' | 'skipped';
  output: unknown;
}

export interface Plan {
  steps: readonly Step[];
  /** The outputs of steps that do not run, as variables of the run. */
  inputs: Readonly<Record<string, unknown>>;
}

export interface LivePlan extends Plan {
  /** What has to be run before the rest can be shown: these cost something, or have effects outside of the run. */
  waitsFor: readonly Step[];
}

interface Rules {
  /** Whether a step costs something, or has effects. */
  acts: (step: Step) => boolean;
  outcomeOf: (step: Step) => StepOutcome | undefined;
}

/**
 * The steps of a flow up to one of them, in whose place others stand. What is after it is left out, and so are the other
 * branches of the conditions around it.
 */
export function stepsUpTo(
  steps: readonly Step[],
  id: string,
  inItsPlace: (step: Step) => readonly Step[] = (step) => [step],
): readonly Step[] | undefined {
  for (const [at, step] of steps.entries()) {
    if (step.id === id) return [...steps.slice(0, at), ...inItsPlace(step)];
    const branches = branchesOf(step);
    for (const [name, inner] of branches) {
      const within = stepsUpTo(inner, id, inItsPlace);
      if (!within) continue;
      const others = Object.fromEntries(branches.map(([other]) => [other, []]));
      return [...steps.slice(0, at), { ...step, config: { ...step.config, ...others, [name]: within } }];
    }
  }
  return undefined;
}

/** What can run at once, without cost and effects, to show the data of a step; `inItsPlace` stands for the step. */
export function livePlan(
  steps: readonly Step[],
  id: string,
  rules: Rules,
  inItsPlace: (step: Step) => readonly Step[],
): LivePlan {
  const waitsFor = actingBefore(steps, id, rules);
  const first = waitsFor[0];
  const shown = first ? stepsUpTo(steps, first.id, nothing) : stepsUpTo(steps, id, inItsPlace);
  return { ...withOutcomes(shown ?? [], rules), waitsFor };
}

/** What runs on request: all steps up to one, of which those with an outcome do not run again. */
export const planUpTo = (steps: readonly Step[], id: string, { outcomeOf, ...rules }: Rules): Plan =>
  withOutcomes(stepsUpTo(steps, id) ?? [], {
    ...rules,
    outcomeOf: (step) => (step.id === id ? undefined : outcomeOf(step)),
  });

/** The steps before one that cost something or have effects, and did not run yet. */
export function actingBefore(steps: readonly Step[], id: string, { acts, outcomeOf }: Rules): Step[] {
  const before = stepsUpTo(steps, id, nothing) ?? [];
  return [...eachStep(before)].flatMap(({ step }) => (acts(step) && !outcomeOf(step) ? [step] : []));
}

const nothing = () => [];

/** Steps with an outcome set their variable instead of running again. */
function withOutcomes(steps: readonly Step[], { acts, outcomeOf }: Rules): Plan {
  const inputs: Record<string, unknown> = {};
  const replaced = (list: readonly Step[]): Step[] =>
    list.map((step) => {
      const outcome = isWait(step) ? waited : acts(step) ? outcomeOf(step) : undefined;
      if (outcome) return withOutcome(step, outcome, inputs);
      const branches = branchesOf(step).map(([name, inner]) => [name, replaced(inner)] as const);
      return branches.length > 0
        ? { ...step, config: { ...step.config, ...Object.fromEntries(branches) } }
        : step;
    });
  return { steps: replaced(steps), inputs };
}

/** Runs of the editor wait for nothing. */
export const isWait = ({ type }: Step) => type === 'wait-until';
const waited: StepOutcome = { status: 'completed', output: { waitedMs: 0, result: true } };

function withOutcome(step: Step, { status, output }: StepOutcome, inputs: Record<string, unknown>): Step {
  const variableName = variableOf(step);
  if (status === 'skipped' || !variableName) return { ...step, enabled: false };
  const input = `kept_${Object.keys(inputs).length}`;
  inputs[input] = output;
  // A text that is a single reference keeps the type of the value.
  return { ...step, type: 'set-variable', config: { variableName, value: `{{ ${input} }}` } };
}
