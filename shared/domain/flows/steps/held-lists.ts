import type { FlowStep } from './step.ts';

/** A list of steps that a step holds in its config. */
export interface HeldList {
  /** Within the config: `['trueSteps']`, `['branches', 0, 'steps']`. */
  at: PropertyKey[];
  /** Its name in paths of runs; for a list that runs several times without the number of the time. */
  key: string;
  steps: unknown[];
}

type Json = Readonly<Record<string, unknown>>;

/** How many lists of steps may be inside of each other. */
export const nestedListsMax = 10;

/** The members of configs that hold steps, with their names in paths. */
const plainLists = { trueSteps: 'true', falseSteps: 'false' } as const;

/** Config that is checked later may be anything. */
export function findHeldLists(config: unknown): HeldList[] {
  const json = (config ?? {}) as Json;
  const plain = Object.entries(plainLists).flatMap(([name, key]) => listAt(json[name], [name], key));
  const repeated = listAt(json.steps, ['steps'], 'while' in Object(config) ? 'p' : 'i');
  const branches = Array.isArray(json.branches) ? (json.branches as (Json | null | undefined)[]) : [];
  const inBranches = branches.flatMap((branch, index) =>
    listAt(branch?.steps, ['branches', index, 'steps'], `b${index}`),
  );
  const ofFlow = listAt((json as LinkedConfig)[linkedSteps], [linkedSteps], 'f');
  return [...plain, ...repeated, ...inBranches, ...ofFlow];
}

const listAt = (steps: unknown, at: PropertyKey[], key: string): HeldList[] =>
  Array.isArray(steps) ? [{ at, key, steps }] : [];

/** A copy of the config with each list of steps changed. */
export function mapHeldLists<Config extends object>(
  config: Config,
  change: (steps: unknown[]) => unknown[],
): Config {
  const lists = findHeldLists(config);
  if (lists.length === 0) return config;
  const copy = { ...config } as Record<PropertyKey, unknown>;
  for (const { at, steps } of lists) {
    const [name = '', index] = at;
    if (index === undefined) copy[name] = change(steps);
    else {
      const branches = copy[name] as object[];
      copy[name] = branches.with(Number(index), { ...branches[Number(index)], steps: change(steps) });
    }
  }
  return copy as Config;
}

/**
 * The steps that a `flow` step runs, and of which flow they are, in the steps of a run. They are no part of the config: under
 * symbols they are neither stored nor shown with it.
 */
export const linkedSteps = Symbol('steps of another flow');
export const linkedFlow = Symbol('another flow');

/** What a `flow` step runs, or why it cannot. */
type LinkedFlow = { id: string; name: string } | { problem: string };

export interface LinkedConfig {
  [linkedSteps]?: FlowStep[];
  [linkedFlow]?: LinkedFlow;
}

interface StepLike {
  config?: unknown;
}

/** A step with its place in the definition: `2`, or `2.true.0` in a branch, `2.i.0` in a list that runs several times. */
export interface PlacedStep<Step> {
  step: Step;
  path: string;
}

/** Walks the steps of a list and of all lists that they hold, parents first. */
export function* walkSteps<Step extends StepLike>(
  steps: readonly Step[],
  base = '',
): Generator<PlacedStep<Step>, void> {
  for (const [index, step] of steps.entries()) {
    const path = `${base}${index}`;
    yield { step, path };
    for (const { key, steps: held } of findHeldLists(step.config)) {
      yield* walkSteps(held as Step[], `${path}.${key}.`);
    }
  }
}

/** A copy of the steps, including those that they hold, with each one changed. */
export const mapSteps = <Step extends { config: object }>(
  steps: readonly Step[],
  change: (step: Step) => Step,
): Step[] =>
  steps.map((step) => {
    const changed = change(step);
    return { ...changed, config: mapHeldLists(changed.config, (held) => mapSteps(held as Step[], change)) };
  });
