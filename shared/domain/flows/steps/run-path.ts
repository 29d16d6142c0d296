import { findHeldLists } from './held-lists.ts';
import type { FlowStep } from './step.ts';

/**
 * Where a step runs in a run: `2`, or `2.true.0` in a branch of a condition, `2.b0.1` in the first branch of a parallel
 * step, `2.i17.0` in an item of a map, `2.p3.0` in a pass of a loop, `2.f.0` in another flow. Numbers count from 0.
 */
export type RunPath = string;

const timesOf = /\.([ip])(\d+)(?=\.)/g;

/** The place in the definition (`walkSteps` in `held-lists.ts`) of what ran there. */
export const definitionPath = (path: RunPath): string => path.replaceAll(timesOf, '.$1');

/** The path of the list around a step: `2.i17` of `2.i17.0`. Empty for the list of the flow. */
const listAround = (path: RunPath): string => path.slice(0, Math.max(0, path.lastIndexOf('.')));

/** The path of the step that holds a list: `2` of `2.i17`. */
export const holderPath = (list: string): RunPath => listAround(list);

/** Whether what is set in the list is not set outside of it: in branches, in items of maps, and in other flows. */
export const isOwnScope = (list: string): boolean => /(^|\.)([bi]\d*|f)$/.test(list);

/** Whether the steps of the list do not see what is set outside of it: in other flows. */
export const isClosedScope = (list: string): boolean => /(^|\.)f$/.test(list);

/** The paths of the lists around a step, outermost first. */
export function listsAround(path: RunPath): string[] {
  const list = listAround(path);
  return list === '' ? [] : [...listsAround(holderPath(list)), list];
}

/** Under what a step keeps its pause between two attempts, beside what it keeps itself. */
export const pausePath = (path: RunPath) => `${path}#retry`;

/** Under what the mark is kept that a step begins to act. */
export const actPath = (path: RunPath) => `${path}#act`;

/** Under what the turns of a step are kept, with the tools that its model has called. */
export const turnsPath = (path: RunPath) => `${path}#turns`;

/** Under what a step keeps something until it has ended. */
export const listKeptPaths = (path: RunPath) => [path, pausePath(path), actPath(path), turnsPath(path)];

/** As people read it: step ids with what they hold, such as `each[3]/ask`, `both/left/ask`. */
export interface ShownPlace {
  stepPath: string;
  /** Of the innermost map around the step. */
  itemIndex?: number;
}

/** The definition of what ran there. @param path A path in a run of these steps, or one in their definition */
export function findStepAt(steps: readonly FlowStep[], path: RunPath): FlowStep | undefined {
  const [index, key, ...rest] = path.split('.');
  const step = steps[Number(index)];
  if (!step || key === undefined) return step;
  const held = findHeldLists(step.config).find((each) => each.key === toDefinitionKey(key));
  return held && findStepAt(held.steps as FlowStep[], rest.join('.'));
}

const toDefinitionKey = (key: string) => key.replace(/^([ip])\d+$/, '$1');

/** @param path A path in a run of these steps. */
export const toShownPlace = (steps: readonly FlowStep[], path: RunPath): ShownPlace =>
  findShownPlace((at) => findStepAt(steps, at), path);

/** @param find Finds the definition of a step by its path in the run. */
export function findShownPlace(find: (path: RunPath) => FlowStep | undefined, path: RunPath): ShownPlace {
  const parts = path.split('.');
  const names: string[] = [];
  let itemIndex: number | undefined;
  for (let at = 0; at < parts.length; at += 2) {
    const step = find(parts.slice(0, at + 1).join('.'));
    if (!step) break;
    const [, kind = '', time = ''] = /^([ipb])(\d+)$/.exec(parts[at + 1] ?? '') ?? [];
    names.push(kind === 'i' || kind === 'p' ? `${step.id}[${time}]` : step.id);
    if (kind === 'i') itemIndex = Number(time);
    if (kind === 'b') {
      const branches = step.config.branches as { name: string }[] | undefined;
      names.push(branches?.[Number(time)]?.name ?? time);
    }
  }
  return { stepPath: names.join('/'), ...(itemIndex !== undefined && { itemIndex }) };
}
