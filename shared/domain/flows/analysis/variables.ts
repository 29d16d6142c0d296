/**
 * Compares what steps read and set: findings, and inputs.
 * Findings are unset, overwritten and unused variables. The same analysis of texts says which conditions always hold,
 * by which `validate.ts` finds steps and branches that no run reaches.
 * `analyseTexts` parses all texts in the sandbox first; if that fails, nothing is reported of what depends on it. A
 * step's use is what its texts read and the output that it sets; one that could not be analysed counts as reading
 * everything.
 * Whether a read is set depends on the lists around both steps: branches exclude each other, and what is set in a map
 * or a parallel branch is seen only in it. Loops have no variables of their own but `_loop`.
 * `validate.ts` reports the findings; `listFlowInputs` derives the inputs of a flow, and the schema of a capability,
 * from the unset reads.
 */
import { readTextsTask } from '../../../adapters/code/tasks.ts';
import type { FlowText, Reads } from '../../../adapters/code/texts.ts';
import { type Sandbox, SandboxError } from '../../../adapters/sandbox/sandbox.ts';
import { hasOwnVariables, type NodeList, type StepNode, walkStepNodes } from '../checking/step-nodes.ts';
import { getStepType, stepTypes } from '../step-types/index.ts';
import { reduceVariables } from '../step-types/reduce.ts';
import { type ConfigText, isFlowText } from '../steps/config-texts.ts';
import { outputVariableName } from '../steps/step.ts';
import { createFinding, type Finding, isHeldBy } from './finding.ts';

/** Variables that every run has: the built-in ones, and those that a dispatch adds. */
const builtinVariables = new Set([
  '_record',
  '_flow',
  '_execution',
  '_user',
  '_visitor',
  '_agent',
  '_input',
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
export function createUnknownUse(visit: StepNode): VariableUse {
  const sets: unknown = outputVariableName(visit.step);
  return {
    visit,
    reads: new Map(),
    readsEverything: true,
    sets: typeof sets === 'string' ? sets : undefined,
  };
}

export function readVariableUse(visit: StepNode, readsOf: (text: ConfigText) => Reads): VariableUse {
  const use: VariableUse = { ...createUnknownUse(visit), readsEverything: false };
  for (const text of visit.texts) {
    const { names, everything } = readsOf(text);
    use.readsEverything ||= everything;
    for (const { name, guarded } of names) {
      if (isGivenToText(visit, text.path, name)) continue;
      if (use.reads.get(name)?.guarded !== false) use.reads.set(name, { path: text.path, guarded });
    }
  }
  return use;
}

interface UnsetRead {
  visit: StepNode;
  path: PropertyKey[];
  name: string;
  /** Whether the text checks whether the variable is set. */
  guarded: boolean;
  /** A step that sets it later, or in another branch. */
  setter: StepNode | undefined;
}

function* findUnsetReads(uses: readonly VariableUse[]): Generator<UnsetRead, void> {
  const setters = Map.groupBy(uses.entries(), ([, { sets }]) => sets);
  for (const [at, { visit, reads }] of uses.entries()) {
    for (const [name, { path, guarded }] of reads) {
      if (builtinVariables.has(name) || isGivenByHolder(visit, name)) continue;
      const by = setters.get(name) ?? [];
      if (by.some(([position, use]) => isSetFor(visit, use.visit, position < at))) continue;
      yield { visit, path, name, guarded, setter: by[0]?.[1].visit };
    }
  }
}

/** Whether a step may read what another one sets. */
function isSetFor(reader: StepNode, setter: StepNode, isBefore: boolean): boolean {
  // What a map gives, and whether a loop goes on, is asked after the steps in it.
  if (isHeldBy(setter, reader)) return reader.step.type === 'map' || reader.step.type === 'loop';
  if (!isBefore || isHeldBy(reader, setter) || isOtherBranch(setter, reader)) return false;
  return setter.lists.every((list) => !hasOwnVariables(list) || isIn(reader, list));
}

const isIn = ({ lists }: StepNode, { path }: NodeList) => lists.some((list) => list.path === path);

function isGivenToText({ step }: StepNode, [, member]: readonly PropertyKey[], name: string): boolean {
  if (!Object.hasOwn(stepTypes, step.type)) return false;
  const { textVariables } = getStepType(step.type);
  return textVariables?.member === member && textVariables?.names(step.config).includes(name) === true;
}

/** What a step gives to the steps in it, by its type. */
const given: Readonly<Record<string, (config: StepNode['step']['config']) => readonly unknown[]>> = {
  map: ({ as = 'item', indexAs }) => [as, indexAs],
  loop: () => ['_loop'],
  reduce: () => reduceVariables,
};

/** The variables that a step gives to the steps in it, and to its own texts. */
function isGivenByHolder({ step, lists }: StepNode, name: string): boolean {
  const holders = [step, ...lists.map(({ holder }) => holder.step)];
  return holders.some(
    ({ type, config }) => Object.hasOwn(given, type) && given[type]?.(config).includes(name),
  );
}

export function* findUnsetVariables(uses: readonly VariableUse[]): Generator<Finding, void> {
  for (const { visit, path, name, guarded, setter } of findUnsetReads(uses)) {
    if (guarded) continue;
    const [code, message] = setter
      ? [
          'VARIABLE_USED_BEFORE_SET',
          `${name} is not set yet: the step "${setter.step.name}" sets it later or in another branch`,
        ]
      : ['UNKNOWN_VARIABLE', `No step sets ${name}: each run must pass it as an input`];
    yield createFinding(visit, path, code, message, { variable: name });
  }
}

/** Whether the steps are in different branches of one step. */
function isOtherBranch(one: StepNode, other: StepNode): boolean {
  const at = one.lists.findIndex(({ path }, level) => path !== other.lists[level]?.path);
  const [mine, theirs] = [one.lists[at], other.lists[at]];
  return mine !== undefined && theirs !== undefined && mine.holder.path.join() === theirs.holder.path.join();
}

export function* findOverwrittenOutputs(uses: readonly VariableUse[]): Generator<Finding, void> {
  for (const [at, { visit, sets }] of uses.entries()) {
    if (sets === undefined) continue;
    const next = uses.find(
      (later, position) =>
        position > at && (isRead(later, sets) || (later.sets === sets && isCertainAfter(visit, later.visit))),
    );
    if (!next || isRead(next, sets)) continue;
    const message = `The step "${next.visit.step.name}" overwrites ${sets} before a step reads it`;
    yield createFinding(visit, getVariablePath(visit), 'OUTPUT_OVERWRITTEN', message, { variable: sets });
  }
}

const isRead = ({ reads, readsEverything }: VariableUse, name: string) => readsEverything || reads.has(name);

/** Whether the later step runs whenever the earlier one does. */
const isCertainAfter = (earlier: StepNode, later: StepNode) =>
  later.step.when === undefined &&
  later.lists.every(({ path }, level) => path === earlier.lists[level]?.path) &&
  earlier.lists.every((list) => !hasOwnVariables(list) || isIn(later, list));

/** Finds outputs that no step reads and that are not the flow's output. */
export function* findUnusedOutputs(uses: readonly VariableUse[]): Generator<Finding, void> {
  const read = new Set(uses.flatMap(({ reads }) => [...reads.keys()]));
  if (uses.some(({ readsEverything }) => readsEverything)) return;
  for (const { visit, sets } of uses) {
    if (sets === undefined || visit.last || read.has(sets)) continue;
    yield createFinding(visit, getVariablePath(visit), 'UNUSED_OUTPUT', `No step reads ${sets}`, {
      variable: sets,
    });
  }
}

const getVariablePath = ({ step }: StepNode): PropertyKey[] => [
  'config',
  step.config.outputVariable === undefined ? 'variableName' : 'outputVariable',
];

export interface FlowInput {
  name: string;
  /** Whether every use of it checks first whether it is set. */
  optional: boolean;
  /** What the uses show of its type. */
  type?: 'array' | 'object' | undefined;
}

/** In the order of their first use. None if the texts take too long to analyse. @param steps Valid ones. */
export async function listFlowInputs(steps: unknown, sandbox: Sandbox): Promise<FlowInput[]> {
  const visits = [...walkStepNodes(steps, { path: ['steps'] })];
  const texts = visits.flatMap((visit) => visit.texts);
  const { readsOf } = await analyseTexts(texts, sandbox);
  if (!readsOf) return [];
  const reads = texts.flatMap((text) => readsOf(text).names);
  const uses = visits.map((visit) => readVariableUse(visit, readsOf));
  const inputs = [...findUnsetReads(uses)].flatMap(({ name, setter }) => (setter ? [] : [name]));
  return [...new Set(inputs)].map((name) => {
    const variableReads = reads.filter((read) => read.name === name);
    const types = new Set(variableReads.flatMap(({ type }) => type ?? []));
    return {
      name,
      optional: variableReads.every(({ guarded }) => guarded),
      type: types.size === 1 ? [...types][0] : undefined,
    };
  });
}

/** The time limit for all texts of one flow. */
const timeoutMs = 5_000;

export interface TextAnalysis {
  alwaysHolds: AlwaysHolds;
  /** Absent if the analysis timed out. */
  readsOf?: (text: ConfigText) => Reads;
}

export async function analyseTexts(
  configTexts: readonly ConfigText[],
  sandbox: Sandbox,
): Promise<TextAnalysis> {
  const texts = new Map(
    configTexts.filter(isFlowText).map(({ kind, text }) => [nameText({ kind, text }), { kind, text }]),
  );
  try {
    const found = texts.size > 0 ? await sandbox(readTextsTask, [...texts.values()], { timeoutMs }) : [];
    const foundByName = new Map([...texts.keys()].map((name, index) => [name, found[index]]));
    return {
      alwaysHolds: (text) => foundByName.get(nameText({ kind: 'expression', text }))?.alwaysHolds,
      readsOf: (text) => {
        if (text.kind === 'schema') return nothing;
        return (isFlowText(text) ? foundByName.get(nameText(text))?.reads : undefined) ?? readVariable(text);
      },
    };
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    return { alwaysHolds: () => undefined };
  }
}

const nameText = ({ kind, text }: FlowText) => `${kind} ${text}`;

/** A JSON Schema reads no variable. */
const nothing: Reads = { names: [], everything: false };

/** A path reads one variable. */
const readVariable = ({ text }: ConfigText): Reads => ({
  names: [{ name: /^[^.[]+/.exec(text)?.[0] ?? '', guarded: false }],
  everything: false,
});

/** Whether an expression is always true, or always false; undefined if that depends on the variables. */
export type AlwaysHolds = (expression: string) => boolean | undefined;
