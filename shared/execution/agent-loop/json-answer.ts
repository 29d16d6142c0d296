import { checkValue } from '../../adapters/json-schema/json-schema.ts';
import { coerceValue } from '../../adapters/json-schema/meant-value.ts';
import type { JsonSchema } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { parseAnswerJson } from '../../core/json/json.ts';
import { findFencedParts, stripFence } from '../../core/text.ts';
import type { Loop } from './loop.ts';

/**
 * A response as JSON, and why it does not fit a schema. Of words around it, as reasoning models write them, it takes the one
 * value that fits. @throws StepError for a response of too many values
 */
export async function parseJsonAnswer(
  text: string,
  schema: JsonSchema,
  { sandbox, signal }: { sandbox: Sandbox; signal: AbortSignal },
): Promise<{ value: unknown; problems: string[] }> {
  const values = parseJsonValues(text).map((value) => toMeantAnswer(schema, value));
  const checked = await Promise.all(
    values.map(async (value) => ({ value, problems: await checkValue(sandbox, schema, value, { signal }) })),
  );
  const [fitting, ...others] = checked.filter(({ problems }) => problems.length === 0);
  if (others.length > 0) {
    const message = `The response has ${others.length + 1} JSON values that fit the schema, where one is asked for`;
    return { value: undefined, problems: [message] };
  }
  const { value, problems } = fitting ?? checked[0] ?? noJson;
  return { value, problems: problems.map(({ path, message }) => (path ? `${path}: ${message}` : message)) };
}

/** Also the one item of a list, where no list is asked for. */
function toMeantAnswer(schema: JsonSchema, value: unknown): unknown {
  const isListOfOne = schema.type === 'object' && Array.isArray(value) && value.length === 1;
  return coerceValue(schema, isListOfOne ? value[0] : value);
}

const noJson = { value: undefined, problems: [{ path: '', message: 'The response is not JSON' }] };

/**
 * The distinct JSON values of a response: itself, else what follows its thoughts, else what is in its code fences, else its
 * objects and lists.
 */
export function parseJsonValues(response: string): unknown[] {
  const text = response.replace(/^\ufeff/, '');
  const answer = stripThoughts(text);
  const readings = [() => [stripFence(text)], () => [stripFence(answer)], findFencedParts, findObjects];
  for (const read of readings) {
    const values = parseDistinct(read(answer));
    if (values.length > 0) return values;
  }
  return [];
}

function parseDistinct(texts: readonly string[]): unknown[] {
  const found = new Map<string, unknown>();
  for (const text of texts.slice(0, valuesTriedMax)) {
    const value = parseAnswerJson(text, 'The model');
    if (value !== undefined) found.set(JSON.stringify(value), value);
  }
  return [...found.values()];
}
const valuesTriedMax = 20;

/** Servers that do not part the thoughts of a model from its answer end them with a tag. Some leave out the first one. */
const stripThoughts = (text: string): string =>
  text.slice(Math.max(...thoughtEnds.map((end) => findEndOfLast(end, text))));
const thoughtEnds = [
  '</think>',
  '</thinking>',
  '</thought>',
  '</thoughts>',
  '</reasoning>',
  '</seed:think>',
  '<|channel|>final<|message|>',
];

function findEndOfLast(mark: string, text: string): number {
  const at = text.lastIndexOf(mark);
  return at < 0 ? 0 : at + mark.length;
}

/** The texts from each outermost bracket or brace to the one that closes it. Quotes count inside of them only. */
function findObjects(text: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (isInString) {
      if (character === '\\') at++;
      else isInString = character !== '"';
    } else if ('{['.includes(character)) {
      if (depth === 0) start = at;
      depth++;
    } else if (depth > 0 && '}]'.includes(character)) {
      depth--;
      if (depth === 0) found.push(text.slice(start, at + 1));
    } else if (depth > 0) isInString = character === '"';
  }
  return found;
}

export const answerChecker =
  ({ sandbox }: Pick<Ports, 'sandbox'>, schema: JsonSchema, signal: AbortSignal): Loop['checkAnswer'] =>
  async (text) => {
    const { value, problems } = await parseJsonAnswer(text, schema, { sandbox, signal });
    if (problems.length === 0) return { value };
    return {
      problem: `Your answer does not fit the JSON Schema of responseFormat: ${problems.slice(0, 5).join('; ')}. Answer with the corrected JSON and nothing else.`,
    };
  };
