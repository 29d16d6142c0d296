import { StepError } from '../errors/step-error.ts';
import { parseExact } from './exact-json.ts';
import { isDeeperThan, nestingLevelsMax } from './nesting.ts';
import { answerMembersMax, textHasTooManyValues } from './value-count.ts';

const segment = /[^.[\]]+/g;

/** Splits `a.b[0].c` into segments. A leading `$` is the value itself. */
const parseSegments = (path: string) => path.replace(/^\$\.?/, '').match(segment) ?? [];

/** Resolves a dotted path inside a value. Only own members count. */
export function readPath(value: unknown, path: string): unknown {
  let current = value;
  for (const name of parseSegments(path)) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined;
    current = (current as Record<string, unknown>)[name];
  }
  return current;
}

/** An object of JSON: no list, and not null. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Parses JSON; `undefined` for invalid JSON, or JSON that is nested too deeply or has more values than an answer may. */
export const tryParseJson = (text: string): unknown => (hasTooMany(text) ? undefined : tryParseWith(text));

type Parse = (text: string) => unknown;

const hasTooMany = (text: string) => textHasTooManyValues(text, answerValuesMax, answerMembersMax);

function tryParseWith(text: string, parse: Parse = parseExact): unknown {
  try {
    const value = parse(text);
    return isDeeperThan(nestingLevelsMax, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Of an answer of 5 MB, whose values have 20 characters each. Parsing and checking more would hold up other requests. */
export const answerValuesMax = 250_000;

/** As `tryParseJson`, of what an API, a model or a script answers. @param who Of the error. @throws StepError for too many values */
export function parseAnswerJson(text: string, who: string, parse?: Parse): unknown {
  if (!hasTooMany(text)) return tryParseWith(text, parse);
  throw new StepError(
    `${who} answers with more than ${answerValuesMax} values, each list and object with what is in it counted, or large objects with more than ${answerMembersMax} members. Ask for less at once`,
  );
}
