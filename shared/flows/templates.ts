import { Drop, Liquid, type Template as LiquidTemplate } from 'liquidjs';
import * as z from 'zod';
import { memoise } from '../memoise.ts';
import { nestingMax, textsIn } from './json-texts.ts';
import { keysOfTemplate, secretNameProblem, withSecretsVariable } from './secret-references.ts';
import { StepError, type Variables } from './step.ts';
import { interruptibly, isInterruption } from './watchdog.ts';

const charactersMax = 100_000;
const outputCharactersMax = 4_000_000;
const tooLong = `It makes a text of more than ${outputCharactersMax} characters`;
const renderMsMax = 1_000;
/** LiquidJS looks at the clock only between its tags, and a filter can loop for hours in one. */
const graceMs = 200;

const liquid = new Liquid({
  ownPropertyOnly: true,
  strictVariables: false,
  strictFilters: true,
  templates: {},
  parseLimit: charactersMax,
  renderLimit: renderMsMax,
  // Characters and members of lists.
  memoryLimit: 10_000_000,
  timezoneOffset: 0,
  outputEscape: asText,
});
// Nothing may be fetched from beside a template.
for (const tag of ['include', 'render', 'layout', 'block']) delete liquid.tags[tag];

/** What the template at hand has printed, also into variables of its own. LiquidJS does not count that. */
let printed = 0;

/** Lists and objects come out as JSON; LiquidJS would print `[object Object]`. */
function asText(value: unknown): string {
  const plain = value instanceof Drop ? value.valueOf() : value;
  const text = (typeof plain === 'object' && plain !== null ? JSON.stringify(plain) : plain) as string;
  printed += text?.length ?? 0;
  if (printed > 4 * outputCharactersMax) throw new RangeError(tooLong);
  return text;
}

const parseAnew = (text: string): LiquidTemplate[] => liquid.parse(withSecretsVariable(text));
const parse = memoise(parseAnew);

/** Whether there is nothing to fill in a text. */
export const isPlain = (text: string) => !text.includes('{{') && !text.includes('{%');

/** Fills a Liquid template; an unknown variable comes out empty. @throws StepError */
export function renderTemplate(text: string, variables: Readonly<Variables>): string {
  if (isPlain(text)) return text;
  const render = () => {
    printed = 0;
    const rendered = liquid.renderSync(parse(text), variables) as string;
    if (rendered.length > outputCharactersMax) throw new RangeError(tooLong);
    return rendered;
  };
  return translated(() => (isSimple(text) ? render() : interruptibly(render, renderMsMax + graceMs)));
}

/** Tags that take no time themselves; LiquidJS looks at the clock between them. */
const quickTags = new Set(
  'if elsif else endif unless endunless case when endcase comment endcomment'.split(' '),
);

/** Whether each part of a template is quick: no filters, ranges, loops or searches. */
const isSimple = (text: string) =>
  !/\||\.\.|contains/.test(text) &&
  text.matchAll(/\{%-?\s*(\w*)/g).every(([, tag = '']) => quickTags.has(tag));

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
    const reason = isInterruption(error) ? `It takes longer than ${renderMsMax} ms` : messageOf(error);
    throw new StepError(`The template cannot be filled: ${reason}`, { cause: error });
  }
}

/** What keeps a text from being a template, with line and column, or nothing. */
export function templateProblem(text: string): string | undefined {
  if (isPlain(text)) return undefined;
  try {
    // Not remembered: who saves a flow does not run it here.
    parseAnew(text);
    return secretNameProblem(keysOfTemplate(text));
  } catch (error) {
    return messageOf(error);
  }
}

/** The variables that a template reads, of those that it does not set itself. It has to parse. */
export const variablesOfTemplate = (text: string): string[] =>
  isPlain(text) ? [] : liquid.globalVariablesSync(parseAnew(text));

function messageOf(error: unknown): string {
  const [message = ''] = (error as Error).message.split('\n');
  return message.startsWith('Maximum call stack') ? 'It is nested too deeply' : message;
}

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

/** Whether a JSON value holds a text that is to be filled. */
export const isTemplated = (value: unknown): boolean =>
  [...textsIn(value)].some(({ text }) => !isPlain(text));
