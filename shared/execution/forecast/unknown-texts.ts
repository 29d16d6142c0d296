import { findHeldLists, walkSteps } from '../../domain/flows/steps/held-lists.ts';
import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { outputVariableName } from '../../domain/flows/steps/step.ts';

/**
 * The variables whose values a forecast only guesses, with the most tokens that each may be when it is inserted. Null
 * where nothing limits it.
 */
export type UnknownTexts = Map<string, number | null>;

const mentions = (text: string, variable: string) => [
  ...text.matchAll(new RegExp(`(?<![\\w$.])${variable.replaceAll('$', '\\$')}(?![\\w$])`, 'g')),
];
const findInsertions = (text: string, variable: string) => [
  ...text.matchAll(new RegExp(`\\{\\{-?\\s*${variable.replaceAll('$', '\\$')}\\s*-?\\}\\}`, 'g')),
];

const getTemplateText = ({ type, config }: Pick<FlowStep, 'type' | 'config'>): string => {
  const held = new Set<PropertyKey | undefined>(findHeldLists(config).map(({ at: [name] }) => name));
  const isOwn = ([name]: [string, unknown]) => !held.has(name) && !namesOfOutput.has(name);
  const text = JSON.stringify(Object.fromEntries(Object.entries(config).filter(isOwn)));
  // Elsewhere in a template a name is a word of a sentence.
  return codeTypes.has(type) ? text : findTags(text).join(' ');
};

const namesOfOutput = new Set(['outputVariable', 'variableName', 'as', 'indexAs']);

const findTags = (text: string): string[] => [
  ...text
    .split('{{')
    .slice(1)
    .map((part) => `{{${part.split('}}')[0]}}}`),
  ...text
    .split('{%')
    .slice(1)
    .map((part) => part.split('%}')[0] ?? ''),
];

/** Types of steps whose configs are code, not templates. */
const codeTypes = new Set([
  'transform-data',
  'set-variable',
  'conditional',
  'wait-until',
  'parallel',
  'map',
  'loop',
]);

/**
 * How many tokens the unknown values may add to what a step renders: 0 if it reads none, null if it does more than insert
 * them.
 */
export function countAddedTokens(
  step: Pick<FlowStep, 'type' | 'config'>,
  unknown: UnknownTexts,
): number | null {
  const text = getTemplateText(step);
  let added = 0;
  for (const [variable, most] of unknown) {
    const places = mentions(text, variable).length;
    if (places === 0) continue;
    if (most === null || findInsertions(text, variable).length < places) return null;
    added += places * most;
  }
  return added;
}

/** Whether an unknown value decides if a step runs, which of its branches, or how often what is in it. */
export const isUndecided = ({ when, type, config }: FlowStep, unknown: UnknownTexts): boolean => {
  const deciding = decidingMembers[type];
  const texts = [when, deciding && config[deciding]].filter((text) => typeof text === 'string');
  return [...unknown.keys()].some((variable) => texts.some((text) => mentions(text, variable).length > 0));
};
const decidingMembers: Record<string, string> = { conditional: 'condition', map: 'items', loop: 'while' };

/** What the steps in a step give is unknown if it is which of them run. Passes without a number add up to anything. */
export function openInside(step: FlowStep, unknown: UnknownTexts): void {
  for (const { step: inside } of walkSteps([step])) {
    const variable = outputVariableName(inside);
    if (variable && (step.type === 'loop' || !unknown.has(variable))) unknown.set(variable, null);
  }
}

/** The inputs of another flow are as unknown as what they are made of. */
export function openInputs({ type, config }: FlowStep, unknown: UnknownTexts): void {
  if (type !== 'flow') return;
  for (const [name, value] of Object.entries(config.inputs ?? {})) {
    if (countAddedTokens({ type, config: { value } }, unknown) !== 0) unknown.set(name, null);
  }
}

/** Whether steps in a step give something that is unknown. */
export const givesUnknown = (step: FlowStep, unknown: UnknownTexts): boolean =>
  [...walkSteps([step])].some(
    ({ step: inside }) => inside !== step && unknown.has(outputVariableName(inside) ?? ''),
  );
