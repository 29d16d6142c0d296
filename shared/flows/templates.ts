import { Drop, Liquid, type Template as LiquidTemplate } from 'liquidjs';
import * as z from 'zod';
import { memoise } from '../memoise.ts';
import { StepError, type Variables } from './step.ts';

const charactersMax = 100_000;
const outputCharactersMax = 4_000_000;

const liquid = new Liquid({
  ownPropertyOnly: true,
  strictVariables: false,
  strictFilters: true,
  templates: {},
  parseLimit: charactersMax,
  renderLimit: 1_000,
  memoryLimit: 20_000_000,
  timezoneOffset: 0,
  outputEscape: asText,
});
// Nothing may be fetched from beside a template.
for (const tag of ['include', 'render', 'layout', 'block']) delete liquid.tags[tag];

/** Lists and objects come out as JSON; LiquidJS would print `[object Object]`. */
function asText(value: unknown): string {
  const plain = value instanceof Drop ? value.valueOf() : value;
  return (typeof plain === 'object' && plain !== null ? JSON.stringify(plain) : plain) as string;
}

const parse = memoise((text): LiquidTemplate[] => liquid.parse(text));
const isPlain = (text: string) => !text.includes('{{') && !text.includes('{%');

/** Fills a Liquid template; an unknown variable comes out empty. @throws StepError */
export function renderTemplate(text: string, variables: Readonly<Variables>): string {
  if (isPlain(text)) return text;
  const rendered = translated(() => liquid.renderSync(parse(text), variables) as string);
  if (rendered.length <= outputCharactersMax) return rendered;
  throw new StepError(`The template makes a text of more than ${outputCharactersMax} characters`);
}

const singleReference = /^\s*\{\{-?\s*([A-Za-z_$][\w$-]*(?:\.[\w$-]+|\[\d+\])*)\s*-?\}\}\s*$/;

/**
 * Fills every text inside a JSON value. One that is a single `{{ reference }}` and no more becomes what it
 * names, a list or a number for instance; null when there is none.
 */
export function renderValue(value: unknown, variables: Readonly<Variables>): unknown {
  if (typeof value === 'string') {
    const reference = singleReference.exec(value)?.[1];
    if (!reference) return renderTemplate(value, variables);
    return translated(() => liquid.evalValueSync(reference, variables)) ?? null;
  }
  if (Array.isArray(value)) return value.map((item) => renderValue(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderValue(item, variables)]));
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new StepError(`The template cannot be filled: ${messageOf(error)}`, { cause: error });
  }
}

/** What keeps a text from being a template, with line and column, or nothing. */
export function templateProblem(text: string): string | undefined {
  if (isPlain(text)) return undefined;
  try {
    parse(text);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const messageOf = (error: unknown) => (error as Error).message.split('\n')[0] ?? '';

/** A text in which `{{ references }}` are filled when the step runs. It has to parse when it is saved. */
export const Template = z
  .string()
  .max(charactersMax)
  .superRefine((text, context) => {
    const problem = templateProblem(text);
    if (problem) context.addIssue({ code: 'custom', params: { code: 'INVALID_TEMPLATE' }, message: problem });
  });

/** Any JSON in whose texts `{{ references }}` are filled. */
export const TemplatedJson = z.unknown().superRefine((value, context) => {
  for (const { text, path, depth } of textsIn(value)) {
    const problem = depth > nestingMax ? `Nested more than ${nestingMax} levels deep` : templateProblem(text);
    if (!problem) continue;
    context.addIssue({ code: 'custom', params: { code: 'INVALID_TEMPLATE' }, path, message: problem });
    return;
  }
});

const nestingMax = 30;

function* textsIn(
  value: unknown,
  path: PropertyKey[] = [],
): Generator<{ text: string; path: PropertyKey[]; depth: number }> {
  const depth = path.length;
  if (depth > nestingMax) yield { text: '', path: [], depth };
  else if (typeof value === 'string') yield { text: value, path, depth };
  else if (Array.isArray(value))
    for (const [index, item] of value.entries()) yield* textsIn(item, [...path, index]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) yield* textsIn(item, [...path, key]);
}
