import type { FlowStep } from '../../domain/flows/steps/step.ts';
import { variableOf } from '../../domain/flows/steps/step.ts';
import { walkSteps } from '../../domain/flows/steps/walk-steps.ts';

/**
 * The variables whose values a forecast only guesses, with the most tokens that each may be when it is inserted. Null
 * where nothing limits it.
 */
export type UnknownTexts = Map<string, number | null>;

const mentions = (text: string, variable: string) => [
  ...text.matchAll(new RegExp(`(?<![\\w$.])${variable.replaceAll('$', '\\$')}(?![\\w$])`, 'g')),
];
const insertions = (text: string, variable: string) => [
  ...text.matchAll(new RegExp(`\\{\\{-?\\s*${variable.replaceAll('$', '\\$')}\\s*-?\\}\\}`, 'g')),
];

const textOf = ({ type, config }: Pick<FlowStep, 'type' | 'config'>): string => {
  const { trueSteps: _true, falseSteps: _false, outputVariable: _o, variableName: _v, ...own } = config;
  const text = JSON.stringify(own);
  // Elsewhere in a template a name is a word of a sentence.
  return codeTypes.has(type) ? text : tagsIn(text).join(' ');
};

const tagsIn = (text: string): string[] => [
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
const codeTypes = new Set(['transform-data', 'set-variable', 'conditional', 'wait-until']);

/**
 * How many tokens the unknown values may add to what a step renders: 0 if it reads none, null if it does more than insert
 * them.
 */
export function addedTokens(step: Pick<FlowStep, 'type' | 'config'>, unknown: UnknownTexts): number | null {
  const text = textOf(step);
  let added = 0;
  for (const [variable, most] of unknown) {
    const places = mentions(text, variable).length;
    if (places === 0) continue;
    if (most === null || insertions(text, variable).length < places) return null;
    added += places * most;
  }
  return added;
}

/** Whether an unknown value decides if a step runs, or which of its branches. */
export const isOpen = ({ when, type, config }: FlowStep, unknown: UnknownTexts): boolean =>
  [...unknown.keys()].some(
    (variable) =>
      mentions(when ?? '', variable).length > 0 ||
      (type === 'conditional' && mentions(String(config.condition ?? ''), variable).length > 0),
  );

/** The values that the branches of a step give are unknown if it is which of them runs. */
export function openBranches(step: FlowStep, unknown: UnknownTexts): void {
  for (const { step: inside } of walkSteps([step])) {
    const variable = variableOf(inside);
    if (variable && !unknown.has(variable)) unknown.set(variable, null);
  }
}
