import { javascriptLanguage } from '@codemirror/lang-javascript';
import { liquidLanguage } from '@codemirror/lang-liquid';
import { eachStep } from '../steps/places.ts';
import { type Step, variableOf } from '../steps/steps.ts';

/** Names in scripts that are no variables of the flow. */
const builtIn = new Set(
  (
    'Array Object String Number Boolean Date Math JSON RegExp Map Set Promise Error Intl BigInt Symbol console ' +
    'parseInt parseFloat isNaN isFinite encodeURIComponent decodeURIComponent undefined NaN Infinity globalThis ' +
    'arguments secrets secret forloop'
  ).split(' '),
);
const ownNames = new Set(['outputVariable', 'variableName', 'trueSteps', 'falseSteps']);
const isScript = (member: string) => /^(script|code|condition|when|expression)$/i.test(member);
const isReference = (member: string) => /(Variable|VariablePath)$/.test(member);

const found = new WeakMap<Step, readonly string[]>();

/** The variables that the templates and scripts of a step read, without those of the steps inside of it. */
export function usesOf(step: Step): readonly string[] {
  const before = found.get(step);
  if (before) return before;
  const names = new Set<string>();
  collect(step.when, 'when', names);
  for (const [member, value] of Object.entries(step.config ?? {})) collect(value, member, names);
  const uses = [...names];
  found.set(step, uses);
  return uses;
}

/** The steps that read a variable which a step sets. */
export function readersOf(steps: readonly Step[], { id, ...rest }: Step): Step[] {
  const name = variableOf({ id, ...rest } as Step);
  const all = [...eachStep(steps)].map(({ step }) => step);
  const later = all.slice(all.findIndex((step) => step.id === id) + 1);
  const end = later.findIndex((step) => variableOf(step) === name);
  return name
    ? later.slice(0, end === -1 ? undefined : end + 1).filter((step) => usesOf(step).includes(name))
    : [];
}

function collect(value: unknown, member: string, names: Set<string>): void {
  if (ownNames.has(member)) return;
  if (Array.isArray(value)) for (const each of value) collect(each, member, names);
  else if (typeof value === 'object' && value !== null)
    for (const [inner, each] of Object.entries(value)) collect(each, inner, names);
  else if (typeof value === 'string') for (const name of namesIn(value, member)) names.add(name);
}

function namesIn(text: string, member: string): string[] {
  if (isReference(member)) return text.match(/^[A-Za-z_$][\w$-]*/)?.slice(0, 1) ?? [];
  if (isScript(member)) return freeNames(javascriptLanguage.parser.parse(text), text, new Set());
  if (!/\{\{|\{%/.test(text)) return [];
  const own = [...text.matchAll(/\{%-?\s*(?:assign|capture|for|tablerow|increment|decrement)\s+([\w-]+)/g)];
  return freeNames(liquidLanguage.parser.parse(text), text, new Set(own.map(([, name = '']) => name)));
}

function freeNames(
  tree: ReturnType<typeof javascriptLanguage.parser.parse>,
  text: string,
  own: Set<string>,
): string[] {
  const read: string[] = [];
  tree.iterate({
    enter({ name, from, to }) {
      const word = text.slice(from, to);
      if (name === 'VariableDefinition') own.add(word);
      if (name === 'VariableName') read.push(word);
    },
  });
  return read.filter((name) => !own.has(name) && !builtIn.has(name));
}
