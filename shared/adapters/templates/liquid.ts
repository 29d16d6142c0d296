import { Filter, Liquid, type Template, type Token, TypeGuards } from 'liquidjs';
import { memoise } from '../../core/cache.ts';
import { mayBeInexact, parseExact } from '../../core/json/exact-json.ts';
import { toSecretsVariable } from '../../core/secret-references.ts';
import { findParts } from '../../core/text.ts';
import { argumentsProblem, mendFilters, toPlain } from './filters.ts';
import { filledCharactersMax, fillMsMax, templateCharactersMax } from './limits.ts';

const tooLong = `it produces a text of more than ${filledCharactersMax} characters`;

const liquid = new Liquid({
  ownPropertyOnly: true,
  strictVariables: false,
  strictFilters: true,
  templates: {},
  // With what `escapeInJson` adds.
  parseLimit: 2 * templateCharactersMax,
  renderLimit: fillMsMax,
  // Characters and list elements.
  memoryLimit: 10_000_000,
  timezoneOffset: 0,
  outputEscape: printText,
});
// Templates cannot load other files.
for (const tag of ['include', 'render', 'layout', 'block']) delete liquid.tags[tag];
for (const [name, filter] of Object.entries(mendFilters(liquid.filters))) liquid.registerFilter(name, filter);

/** The output of the current template, including captured variables, which LiquidJS does not count. */
let printed = 0;

/** LiquidJS would print `[object Object]`. */
function printText(value: unknown): string {
  const text = toPlain(value) as string;
  printed += text?.length ?? 0;
  if (printed > 4 * filledCharactersMax) throw new RangeError(tooLong);
  return text;
}

function parseAnew(text: string): Template[] {
  const parsed = liquid.parse(toSecretsVariable(text));
  // LiquidJS rounds the numbers that a template states.
  if (mayBeInexact(text))
    for (const token of findParts(parsed, isNumberToken, liquid))
      Object.assign(token, { content: exactNumber(token) });
  return parsed;
}

const isNumberToken = (node: object): node is Token => TypeGuards.isNumberToken(node as Token);

function exactNumber(token: Token): unknown {
  const text = token.getText();
  try {
    return parseExact(text);
  } catch {
    return Number(text);
  }
}

const parse = memoise(parseAnew);

/** @throws an error with a message for the template's author. */
export function fillTemplate(text: string, variables: object): string {
  printed = 0;
  const filled = liquid.renderSync(parse(text), variables) as string;
  if (filled.length > filledCharactersMax) throw new RangeError(tooLong);
  return filled;
}

export const valueOfReference = (reference: string, variables: object): unknown =>
  liquid.evalValueSync(reference, variables);

export function fillTemplates({
  texts,
  variables,
}: {
  texts: readonly string[];
  variables: object;
}): { filled: string[] } | { problem: string } {
  try {
    return { filled: texts.map((text) => fillTemplate(text, variables)) };
  } catch (error) {
    return { problem: describeTemplateProblem(error) };
  }
}

/** The syntax error of a template with line and column, or undefined. */
export function templateProblem(text: string): string | undefined {
  try {
    for (const filter of findParts(parseAnew(text), (node) => node instanceof Filter, liquid)) {
      const problem = argumentsProblem(filter.name, filter.args.length);
      const [line, column] = (filter as unknown as Placed).token.getPosition();
      if (problem) return `${problem}, line:${line}, col:${column}`;
    }
    return undefined;
  } catch (error) {
    return describeTemplateProblem(error);
  }
}

interface Placed {
  token: { getPosition(): number[] };
}

/** Loops over a variable, not over a member of it. */
const loops = /\{%-?\s*(?:for|tablerow)\s+\w+\s+in\s+([\w-]+)(?![\w.[-])/g;

/** The members that texts and lists have too. */
const ofAnyType = new Set(['size', 'first', 'last']);

/** The variables that a template reads, without those that it sets. The template must parse. */
export function variablesOfTemplate(text: string): { name: string; type?: 'array' | 'object' | undefined }[] {
  const { globals } = liquid.analyzeSync(parseAnew(text));
  const lists = new Set([...text.matchAll(loops)].map(([, name]) => name));
  return Object.entries(globals).map(([name, uses]) => {
    const members = uses.map(({ segments: [, member] }) => member);
    if (lists.has(name) || members.some((member) => typeof member === 'number'))
      return { name, type: 'array' };
    const isObject = members.some((member) => typeof member === 'string' && !ofAnyType.has(member));
    return { name, type: isObject ? 'object' : undefined };
  });
}

export function describeTemplateProblem(error: unknown): string {
  const [message = ''] = (error as Error).message.split('\n');
  return message.startsWith('Maximum call stack') ? 'the template is nested too deeply' : message;
}
