import { createHash } from 'node:crypto';
import { createBoundedMap } from '../../core/cache.ts';
import { toDoubles, toLongDecimals } from '../../core/json/exact-json.ts';
import { isJsonObject } from '../../core/json/json.ts';
import { toSortedJson } from '../../core/json/sorted-json.ts';
import type { JsonSchema } from '../ports/model-port.ts';
import { type Sandbox, SandboxError } from '../sandbox/sandbox.ts';
import { checkMsMax, schemaSizeProblem, type ValueProblem } from './limits.ts';
import { isOfType } from './meant-value.ts';
import { isWholeMultiple } from './multiple-of.ts';
import { validateSchemaTask, validateValueTask } from './tasks.ts';

interface Options {
  signal?: AbortSignal | undefined;
}

/** At most 20. Coerces nothing, fills in no default. A schema that is invalid or too slow accepts nothing. */
export async function checkValue(
  sandbox: Sandbox,
  schema: JsonSchema,
  value: unknown,
  { signal }: Options = {},
): Promise<ValueProblem[]> {
  // Rounded: no limit of a schema has so many digits.
  const judged = toDoubles(value);
  if (certainlyFits(schema, judged)) return [];
  const tooLarge = schemaSizeProblem(schema);
  if (tooLarge) return [tooLarge];
  const check = (candidate: unknown) =>
    sandbox(
      validateValueTask,
      { schema: JSON.stringify(schema), value: candidate },
      { timeoutMs: checkMsMax, signal },
    ).catch(limitAsProblem);
  const found = await check(judged);
  const problems =
    judged === value
      ? found
      : found.filter(({ path, message }) => !(isDuplicate(message) && isDistinct(value, path)));
  const asNumbers = problems.length === 0 ? judged : toLongDecimals(judged);
  return asNumbers === judged || (await check(asNumbers)).length > 0 ? problems : [];
}

const isDuplicate = (message: string) => /duplicate items/i.test(message);

/** Whether the items of a list differ, though their doubles do not. */
function isDistinct(value: unknown, path: string): boolean {
  const names = path === '' ? [] : path.split('.');
  const list = names.reduce<unknown>(
    (holder, name) => (holder as Record<string, unknown> | undefined)?.[name],
    value,
  );
  return Array.isArray(list) && new Set(list.map(toSortedJson)).size === list.length;
}

/** Hashes of schemas without problems: each run opens the same tools again, and a thread costs a millisecond. */
const usable = createBoundedMap<true>({ entriesMax: 5_000 });

/** Why a schema cannot be used: it is not valid JSON Schema 2020-12, too large, or refers to other documents. */
export async function schemaProblems(
  sandbox: Sandbox,
  schema: JsonSchema,
  { signal }: Options = {},
): Promise<ValueProblem[]> {
  const tooLarge = schemaSizeProblem(schema);
  if (tooLarge) return [tooLarge];
  const hash = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
  if (usable.get(hash)) return [];
  const problems = await sandbox(validateSchemaTask, schema, { timeoutMs: checkMsMax, signal }).catch(
    limitAsProblem,
  );
  if (problems.length === 0) usable.set(hash, true);
  return problems;
}

/** The thread ended with the task: what the time limit inside does not catch. @throws errors other than limits. */
function limitAsProblem(error: unknown): ValueProblem[] {
  if (!(error instanceof SandboxError)) throw error;
  const reason = error.reason === 'memory' ? 'needs too much memory' : 'takes too long';
  return [{ path: '', message: `The schema ${reason}; simplify it` }];
}

/** Of the value and the schema together. A check of so few takes microseconds. */
const partsMax = 1_000;

type Check = (value: unknown, operand: unknown, schema: JsonSchema, budget: Budget) => boolean;
interface Budget {
  left: number;
}

/** The keywords whose meaning is plain. A schema with others is left to the sandbox. */
const checks: Record<string, Check> = {
  type: (value, type) => [type].flat().some((each) => isOfType(value, each)),
  enum: (value, options) => isScalar(value) && Array.isArray(options) && options.includes(value),
  const: (value, expected) => isScalar(value) && value === expected,
  minimum: (value, limit) => typeof value !== 'number' || (isNumber(limit) && value >= limit),
  maximum: (value, limit) => typeof value !== 'number' || (isNumber(limit) && value <= limit),
  multipleOf: (value, step) =>
    typeof value !== 'number' || (isNumber(step) && step > 0 && isWholeMultiple(value, step)),
  // A character has one or two code units.
  minLength: (value, limit) => typeof value !== 'string' || (isNumber(limit) && value.length >= 2 * limit),
  maxLength: (value, limit) => typeof value !== 'string' || (isNumber(limit) && value.length <= limit),
  required: (value, names) =>
    !isJsonObject(value) || (Array.isArray(names) && names.every((name) => Object.hasOwn(value, name))),
  properties: (value, schemas, _schema, budget) =>
    isJsonObject(schemas) &&
    !Object.hasOwn(schemas, '__proto__') &&
    Object.entries(schemas).every(
      ([name, schema]) =>
        !isJsonObject(value) || !Object.hasOwn(value, name) || fits(schema, value[name], budget),
    ),
  additionalProperties: (value, allowed, { properties = {} }) =>
    allowed === true ||
    (allowed === false &&
      isJsonObject(properties) &&
      (!isJsonObject(value) || Object.keys(value).every((name) => Object.hasOwn(properties, name)))),
  items: (value, schema, _schema, budget) =>
    !Array.isArray(value) || value.every((each) => fits(schema, each, budget)),
};
const annotations = new Set(['title', 'description', 'default', 'examples', 'deprecated', '$schema']);

/**
 * False means unknown: the sandbox decides. Most schemas are plain, and a thread costs a millisecond.
 * @param value With doubles in place of bigints, which limits are compared with.
 */
export const certainlyFits = (schema: JsonSchema, value: unknown): boolean =>
  fits(schema, value, { left: partsMax });

function fits(schema: unknown, value: unknown, budget: Budget): boolean {
  if (!isJsonObject(schema)) return false;
  return Object.entries(schema).every(([keyword, operand]) => {
    if (budget.left-- <= 0) return false;
    return (
      annotations.has(keyword) ||
      (Object.hasOwn(checks, keyword) && checks[keyword]?.(value, operand, schema, budget) === true)
    );
  });
}

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isScalar = (value: unknown) => value === null || typeof value !== 'object';
