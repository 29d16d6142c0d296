import type { Reads } from '../../../adapters/code/texts.ts';
import type { StepNode } from '../checking/step-nodes.ts';
import { variableOf } from '../steps/step.ts';
import type { ConfigText } from '../texts/config-texts.ts';
import { type Finding, finding } from './finding.ts';

/** Variables that every run has: the built-in ones, and those that a dispatch adds. */
const given = new Set([
  '_record',
  '_flow',
  '_execution',
  '_user',
  '_visitor',
  '_agent',
  'messages',
  'secrets',
]);

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

export function variableUse(visit: StepNode, readsOf: (text: ConfigText) => Reads): VariableUse {
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

export interface UnsetRead {
  visit: StepNode;
  path: PropertyKey[];
  name: string;
  /** Whether the text checks whether the variable is set. */
  guarded: boolean;
  /** A step that sets it later, or in another branch. */
  setter: StepNode | undefined;
}

export function* unsetReads(uses: readonly VariableUse[]): Generator<UnsetRead, void> {
  const setters = Map.groupBy(uses.entries(), ([, { sets }]) => sets);
  for (const [at, { visit, reads }] of uses.entries()) {
    for (const [name, { path, guarded }] of reads) {
      if (given.has(name)) continue;
      const by = setters.get(name) ?? [];
      if (by.some(([position, use]) => position < at && !isOtherBranch(use.visit, visit))) continue;
      yield { visit, path, name, guarded, setter: by[0]?.[1].visit };
    }
  }
}

export function* unsetVariables(uses: readonly VariableUse[]): Generator<Finding, void> {
  for (const { visit, path, name, guarded, setter } of unsetReads(uses)) {
    if (guarded) continue;
    const [code, message] = setter
      ? [
          'VARIABLE_USED_BEFORE_SET',
          `${name} is not set yet: the step "${setter.step.name}" sets it later or in another branch`,
        ]
      : ['UNKNOWN_VARIABLE', `No step sets ${name}: each run must pass it as an input`];
    yield finding(visit, path, code, message, { variable: name });
  }
}

/** Whether the steps are in different branches of one conditional. */
function isOtherBranch(one: StepNode, other: StepNode): boolean {
  const at = one.branches.findIndex((branch, level) => branch !== other.branches[level]);
  const [mine, theirs] = [one.branches[at], other.branches[at]];
  return mine !== undefined && theirs !== undefined && conditionalOf(mine) === conditionalOf(theirs);
}
const conditionalOf = (branch: string) => branch.slice(0, branch.lastIndexOf('.'));

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
