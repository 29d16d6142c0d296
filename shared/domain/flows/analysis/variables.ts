import type { Reads } from '../../../adapters/code/texts.ts';
import type { StepNode } from '../checking/step-nodes.ts';
import type { ConfigText } from '../checking/texts.ts';
import { variableOf } from '../steps/step.ts';
import { type Finding, finding } from './finding.ts';

/** Variables that every run has: the built-in ones, and those that a dispatch adds. */
const given = new Set(['_record', '_flow', '_execution', '_user', '_agent', 'messages', 'secrets']);

/** The variables that a step sets and reads, each with the first path that reads it. */
export interface VariableUse {
  visit: StepNode;
  reads: Map<string, { path: PropertyKey[]; guarded: boolean }>;
  readsEverything: boolean;
  sets: string | undefined;
}

/** For a step whose texts were not analysed. */
export function unknownUse(visit: StepNode): VariableUse {
  const sets: unknown = variableOf(visit.step);
  return {
    visit,
    reads: new Map(),
    readsEverything: true,
    sets: typeof sets === 'string' ? sets : undefined,
  };
}

/** @param readsOf The variables that a text reads. */
export function useOf(visit: StepNode, readsOf: (text: ConfigText) => Reads): VariableUse {
  const use: VariableUse = { ...unknownUse(visit), readsEverything: false };
  for (const text of visit.texts) {
    const { names, everything } = readsOf(text);
    use.readsEverything ||= everything;
    for (const { name, guarded } of names) {
      if (use.reads.get(name)?.guarded !== false) use.reads.set(name, { path: text.path, guarded });
    }
  }
  return use;
}

/** Finds reads of variables that no earlier step sets. */
export function* unsetVariables(uses: readonly VariableUse[]): Generator<Finding, void> {
  const setters = Map.groupBy(uses.entries(), ([, { sets }]) => sets);
  for (const [at, { visit, reads }] of uses.entries()) {
    for (const [name, { path, guarded }] of reads) {
      if (guarded || given.has(name)) continue;
      const by = setters.get(name) ?? [];
      if (by.some(([position, use]) => position < at && !isOtherBranch(use.visit, visit))) continue;
      const setter = by[0]?.[1].visit.step.name;
      const [code, message] =
        setter === undefined
          ? ['UNKNOWN_VARIABLE', `No step sets ${name}: each run must pass it as an input`]
          : [
              'VARIABLE_USED_BEFORE_SET',
              `${name} is not set yet: the step "${setter}" sets it later or in another branch`,
            ];
      yield finding(visit, path, code, message, { variable: name });
    }
  }
}

/** Whether the steps are in different branches of one conditional. */
function isOtherBranch(one: StepNode, other: StepNode): boolean {
  const at = one.branches.findIndex((branch, level) => branch !== other.branches[level]);
  const [mine, theirs] = [one.branches[at], other.branches[at]];
  return mine !== undefined && theirs !== undefined && conditionalOf(mine) === conditionalOf(theirs);
}
const conditionalOf = (branch: string) => branch.slice(0, branch.lastIndexOf('.'));

/** Finds outputs that are overwritten before a step reads them. */
export function* overwrittenOutputs(uses: readonly VariableUse[]): Generator<Finding, void> {
  for (const [at, { visit, sets }] of uses.entries()) {
    if (sets === undefined) continue;
    const next = uses.find(
      (later, position) =>
        position > at && (isRead(later, sets) || (later.sets === sets && isCertainAfter(visit, later.visit))),
    );
    if (!next || isRead(next, sets)) continue;
    const message = `The step "${next.visit.step.name}" overwrites ${sets} before a step reads it`;
    yield finding(visit, variablePath(visit), 'OUTPUT_OVERWRITTEN', message, { variable: sets });
  }
}

const isRead = ({ reads, readsEverything }: VariableUse, name: string) => readsEverything || reads.has(name);

/** Whether the later step runs whenever the earlier one does. */
const isCertainAfter = (earlier: StepNode, later: StepNode) =>
  later.step.when === undefined &&
  later.branches.every((branch, level) => branch === earlier.branches[level]);

/** Finds outputs that no step reads and that are not the flow's output. */
export function* unusedOutputs(uses: readonly VariableUse[]): Generator<Finding, void> {
  const read = new Set(uses.flatMap(({ reads }) => [...reads.keys()]));
  if (uses.some(({ readsEverything }) => readsEverything)) return;
  for (const { visit, sets } of uses) {
    if (sets === undefined || visit.last || read.has(sets)) continue;
    yield finding(visit, variablePath(visit), 'UNUSED_OUTPUT', `No step reads ${sets}`, { variable: sets });
  }
}

const variablePath = ({ step }: StepNode): PropertyKey[] => [
  'config',
  step.config.outputVariable === undefined ? 'variableName' : 'outputVariable',
];
