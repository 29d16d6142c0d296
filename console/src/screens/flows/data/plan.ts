import { listsIn, mapLists } from '../steps/lists.ts';
import { eachStep } from '../steps/places.ts';
import { type Step, stepVariable } from '../steps/steps.ts';

/** What a step did when it ran, for later runs in which it does not run again. */
export interface RecordedOutcome {
  status: 'completed' | 'skipped';
  output: unknown;
}

export interface EditorRunPlan {
  steps: readonly Step[];
  /** The outputs of steps that do not run, as variables of the run. */
  inputs: Readonly<Record<string, unknown>>;
}

export interface LivePlan extends EditorRunPlan {
  /** What has to be run before the rest can be shown: these cost something, or have effects outside of the run. */
  waitsFor: readonly Step[];
}

interface Rules {
  /** Whether a step costs something, or has effects. */
  acts: (step: Step) => boolean;
  outcomeOf: (step: Step) => RecordedOutcome | undefined;
}

/**
 * The steps of a flow up to one of them, in whose place others stand. What is after it is left out, and so are the other
 * lists of the steps around it. Maps around it take their first item, loops their first pass.
 */
export function stepsUpTo(
  steps: readonly Step[],
  id: string,
  inItsPlace: (step: Step) => readonly Step[] = (step) => [step],
): readonly Step[] | undefined {
  for (const [at, step] of steps.entries()) {
    if (step.id === id) return [...steps.slice(0, at), ...inItsPlace(step)];
    for (const { name, steps: inner } of listsIn(step)) {
      const within = stepsUpTo(inner, id, inItsPlace);
      if (!within) continue;
      const around = mapLists(onceOnly(step), (_other, each) => (each === name ? within : []));
      return [...steps.slice(0, at), around];
    }
  }
  return undefined;
}

/** What a map makes of an item may need the steps that are left out, as the condition of a loop may. */
function onceOnly(step: Step): Step {
  const { config } = step;
  if (step.type === 'map') {
    const { output: _left, ...rest } = config ?? {};
    return { ...step, config: { ...rest, items: `(${config?.items}).slice(0, 1)` } };
  }
  return step.type === 'loop' ? { ...step, config: { ...config, maxIterations: 1, onLimit: 'stop' } } : step;
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
export const planUpTo = (steps: readonly Step[], id: string, { outcomeOf, ...rules }: Rules): EditorRunPlan =>
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
function withOutcomes(steps: readonly Step[], { acts, outcomeOf }: Rules): EditorRunPlan {
  const inputs: Record<string, unknown> = {};
  const replaced = (list: readonly Step[]): Step[] =>
    list.map((step) => {
      const outcome = waited[step.type]?.(step) ?? (acts(step) ? outcomeOf(step) : undefined);
      if (outcome) return withOutcome(step, outcome, inputs);
      return mapLists(step, replaced);
    });
  return { steps: replaced(steps), inputs };
}

/** Runs of the editor wait for nothing. */
export const isWait = ({ type }: Pick<Step, 'type'>) => type in waited;
const completed = (output: unknown): RecordedOutcome => ({ status: 'completed', output });
/** As if the time had come, somebody had made the first choice, or an empty object had arrived. */
const waited: Readonly<Record<string, (step: Step) => RecordedOutcome>> = {
  'wait-until': () => completed({ waitedMs: 0, result: true }),
  approval: ({ config }) =>
    completed({
      choice: Array.isArray(config?.choices) ? config.choices[0] : 'approve',
      values: {},
      comment: null,
      answeredBy: null,
      answeredAt: new Date().toISOString(),
    }),
  'wait-for-callback': () => completed({}),
};

function withOutcome(step: Step, { status, output }: RecordedOutcome, inputs: Record<string, unknown>): Step {
  const variableName = stepVariable(step);
  if (status === 'skipped' || !variableName) return { ...step, enabled: false };
  const input = `kept_${Object.keys(inputs).length}`;
  inputs[input] = output;
  // A text that is a single reference keeps the type of the value.
  return { ...step, type: 'set-variable', config: { variableName, value: `{{ ${input} }}` } };
}
