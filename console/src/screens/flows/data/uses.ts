import { javascriptLanguage } from '@codemirror/lang-javascript';
import { liquidLanguage } from '@codemirror/lang-liquid';
import { mapLists } from '../steps/lists.ts';
import { eachStep } from '../steps/places.ts';
import { namesSeenInside, variableSetter } from '../steps/scopes.ts';
import { isScript } from '../steps/scripts.ts';
import { type Step, stepVariable } from '../steps/steps.ts';

/** Names in scripts that are no variables of the flow. */
const builtIn = new Set(
  (
    'Array Object String Number Boolean Date Math JSON RegExp Map Set Promise Error Intl BigInt Symbol console ' +
    'parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent undefined NaN Infinity globalThis ' +
    'arguments secrets secret forloop'
  ).split(' '),
);
const ownNames = new Set(['outputVariable', 'variableName']);
const isReference = (member: string) => /(Variable|VariablePath)$/.test(member);

const found = new WeakMap<Step, readonly string[]>();

/** The variables that the templates and scripts of a step read, without those of the steps inside of it. */
export function usedVariables(step: Step): readonly string[] {
  const before = found.get(step);
  if (before) return before;
  const { type, config = {} } = mapLists(step, () => []);
  const names = new Set<string>();
  const collectFrom = (members: object, into: Set<string>) => {
    for (const [member, value] of Object.entries(members)) collect(value, { type, member }, into);
  };
  const { output, ...rest } = config;
  collectFrom({ when: step.when, ...rest }, names);
  // What a map makes of an item reads what the steps of the item set.
  const ofOutput = new Set<string>();
  collectFrom({ output }, ofOutput);
  const inside = namesSeenInside(step);
  for (const name of ofOutput) if (!inside.has(name)) names.add(name);
  const uses = [...names];
  found.set(step, uses);
  return uses;
}

/** The steps that read a variable which a step sets. */
export function variableReaders(steps: readonly Step[], setter: Step): Step[] {
  const name = stepVariable(setter);
  if (!name) return [];
  return [...eachStep(steps)].flatMap(({ step }) =>
    usedVariables(step).includes(name) && variableSetter(steps, step.id, name)?.id === setter.id
      ? [step]
      : [],
  );
}

interface Member {
  /** Of the step. */
  type: string;
  member: string;
}

function collect(value: unknown, { type, member }: Member, names: Set<string>): void {
  if (ownNames.has(member)) return;
  if (Array.isArray(value)) for (const each of value) collect(each, { type, member }, names);
  else if (typeof value === 'object' && value !== null)
    for (const [inner, each] of Object.entries(value)) collect(each, { type, member: inner }, names);
  else if (typeof value === 'string') for (const name of namesIn(value, { type, member })) names.add(name);
}

function namesIn(text: string, { type, member }: Member): string[] {
  if (isReference(member)) return text.match(/^[A-Za-z_$][\w$-]*/)?.slice(0, 1) ?? [];
  if (isScript(type, member)) return freeNames(javascriptLanguage.parser.parse(text), text, new Set());
  if (!/\{\{|\{%/.test(text)) return [];
  const assigned = [
    ...text.matchAll(/\{%-?\s*(?:assign|capture|for|tablerow|increment|decrement)\s+([\w-]+)/g),
  ];
  return freeNames(liquidLanguage.parser.parse(text), text, new Set(assigned.map(([, name = '']) => name)));
}

function freeNames(
  tree: ReturnType<typeof javascriptLanguage.parser.parse>,
  text: string,
  assigned: Set<string>,
): string[] {
  const read: string[] = [];
  tree.iterate({
    enter({ name, from, to }) {
      const word = text.slice(from, to);
      if (name === 'VariableDefinition') assigned.add(word);
      if (name === 'VariableName') read.push(word);
    },
  });
  return read.filter((name) => !assigned.has(name) && !builtIn.has(name));
}
