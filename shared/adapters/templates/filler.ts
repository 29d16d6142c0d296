import { loadOnce } from '../../core/concurrency/load-once.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { countCharacters, iterateTexts } from '../../core/json/json-texts.ts';
import { hasSecretReference } from '../../core/secret-references.ts';
import { createNameTest, type Variables } from '../../core/variables.ts';
import { type Sandbox, SandboxError } from '../sandbox/sandbox.ts';
import { quickFilter } from './json-template.ts';
import { filledCharactersMax, fillMsMax, isPlain } from './limits.ts';
import { fillTemplatesTask } from './tasks.ts';

const loadLiquid = loadOnce(() => import('./liquid.ts'));

/** Tags that take no time themselves. LiquidJS checks the time limit between them. */
const quickTags = new Set('if elsif else endif unless endunless comment endcomment'.split(' '));

/** Anything that reads a whole value takes time: filters, ranges, searches, comparisons of lists, sizes. */
const references = /^(?:[\w$.:\s-]|\[\d+\])*$/;
const walks = /\.\.|\b(?:contains|size)\b/;

const isQuick = (text: string) =>
  text
    .split(/(?=\{[{%])/)
    .filter((part) => !isPlain(part))
    .every((part) => {
      const [inside = ''] = part.slice(2).split(/[%}]\}/, 1);
      const isTag = part[1] === '%';
      return (
        references.test(inside.endsWith(quickFilter) ? inside.slice(0, -quickFilter.length) : inside) &&
        !walks.test(inside) &&
        (!isTag || quickTags.has(/\w+/.exec(inside)?.[0] ?? ''))
      );
    });

const singleReference = /^\s*\{\{-?\s*([A-Za-z_$][\w$-]*(?:\.[\w$-]+|\[\d+\])*)\s*-?\}\}\s*$/;

export interface Filler {
  /** Renders a template. Unknown variables become empty text. @throws StepError */
  render: (template: string) => Promise<string>;
  /** A text that is a single `{{ reference }}` becomes its value, null if there is none. @throws StepError */
  renderValue: (value: unknown) => Promise<unknown>;
}

/** Renders quick templates in place and others in a thread, all texts of a value at once. */
export const createFiller = (variables: Readonly<Variables>, sandbox: Sandbox): Filler => ({
  async render(template) {
    if (isPlain(template)) return template;
    return (await prepareFill([template], variables, sandbox))(template);
  },
  async renderValue(value) {
    const texts = [...iterateTexts(value)].map(({ text }) => text).filter((text) => !isPlain(text));
    if (texts.length === 0) return value;
    const [fill, { valueOfReference }] = await Promise.all([
      prepareFill(texts, variables, sandbox),
      loadLiquid(),
    ]);
    const filled = new Map(
      texts.map((text) => {
        const reference = singleReference.exec(text)?.[1];
        const named = reference && translateErrors(() => valueOfReference(reference, variables) ?? null);
        return [text, reference ? named : fill(text)] as const;
      }),
    );
    // A single text cannot become too large, but several references to a large value can.
    if (typeof value !== 'string') refuseTooLarge(texts.values().map((text) => filled.get(text)));
    return mapTexts(value, (text) => (filled.has(text) ? filled.get(text) : text));
  },
});

/** @returns a function that renders each of these texts. */
async function prepareFill(texts: readonly string[], variables: Readonly<Variables>, sandbox: Sandbox) {
  const slow = [...new Set(texts.filter((text) => !isQuick(text)))];
  const [{ fillTemplate }, filled] = await Promise.all([
    loadLiquid(),
    fillInThread(slow, variables, sandbox),
  ]);
  return (text: string): string =>
    isPlain(text) ? text : (filled.get(text) ?? translateErrors(() => fillTemplate(text, variables)));
}

async function fillInThread(
  texts: readonly string[],
  variables: Readonly<Variables>,
  sandbox: Sandbox,
): Promise<Map<string, string>> {
  if (texts.length === 0) return new Map();
  const result = await sandbox(
    fillTemplatesTask,
    { texts, variables: selectVariables(texts, variables) },
    { timeoutMs: fillMsMax },
  ).catch((error) => ({ problem: describeLimit(error) }));
  if ('problem' in result) throw unfillable(result.problem);
  return new Map(texts.map((text, index) => [text, result.filled[index] ?? '']));
}

/** The variables that the texts name, to save copying the others to the thread. */
function selectVariables(texts: readonly string[], variables: Readonly<Variables>): Variables {
  // A computed name: `{{ [name] }}`.
  if (texts.some((text) => /[^\w\])"'-]\[/.test(text))) return variables;
  const isNamed = createNameTest(texts);
  const secrets = texts.some(hasSecretReference) ? ['secrets'] : [];
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => isNamed(name) || secrets.includes(name)),
  );
}

/** @throws errors other than sandbox limits. */
function describeLimit(error: unknown): string {
  if (!(error instanceof SandboxError)) throw error;
  return error.reason === 'time' ? `it takes longer than ${fillMsMax} ms` : 'it needs too much memory';
}

/** @throws StepError if these values together exceed the limit for a template's output. */
function refuseTooLarge(values: Iterable<unknown>): void {
  let left = filledCharactersMax;
  for (const value of values) {
    left -= countCharacters(value, left);
    if (left < 0) throw unfillable(`it produces a value of more than ${filledCharactersMax} characters`);
  }
}

function mapTexts(value: unknown, fill: (text: string) => unknown): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, fill));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, fill)]));
}

function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const [message = ''] = (error as Error).message.split('\n');
    throw unfillable(message, error);
  }
}

const unfillable = (reason: string, cause?: unknown) =>
  new StepError(`The template could not be rendered: ${reason}`, { cause });
