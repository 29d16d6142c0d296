import { Drop, Liquid, type Template } from 'liquidjs';
import { memoise } from '../../core/cache.ts';
import { withSecretsVariable } from '../../core/secret-references.ts';
import { charactersMax, filledCharactersMax, fillMsMax } from './limits.ts';

const tooLong = `It makes a text of more than ${filledCharactersMax} characters`;

const liquid = new Liquid({
  ownPropertyOnly: true,
  strictVariables: false,
  strictFilters: true,
  templates: {},
  parseLimit: charactersMax,
  renderLimit: fillMsMax,
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
  if (printed > 4 * filledCharactersMax) throw new RangeError(tooLong);
  return text;
}

const parseAnew = (text: string): Template[] => liquid.parse(withSecretsVariable(text));
const parse = memoise(parseAnew);

/** @throws an error whose words are for the author of the template. */
export function fillTemplate(text: string, variables: object): string {
  printed = 0;
  const filled = liquid.renderSync(parse(text), variables) as string;
  if (filled.length > filledCharactersMax) throw new RangeError(tooLong);
  return filled;
}

/** What a reference such as `user.tags[0]` names. */
export const valueOfReference = (reference: string, variables: object): unknown =>
  liquid.evalValueSync(reference, variables);

/** Fills some templates with the same variables. */
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
    return { problem: problemIn(error) };
  }
}

/** What keeps a text from being a template, with line and column, or nothing. */
export function templateProblem(text: string): string | undefined {
  try {
    parseAnew(text);
    return undefined;
  } catch (error) {
    return problemIn(error);
  }
}

/** The variables that a template reads, of those that it does not set itself. It has to parse. */
export const variablesOfTemplate = (text: string): string[] => liquid.globalVariablesSync(parseAnew(text));

/** An error of LiquidJS in words. */
export function problemIn(error: unknown): string {
  const [message = ''] = (error as Error).message.split('\n');
  return message.startsWith('Maximum call stack') ? 'It is nested too deeply' : message;
}
