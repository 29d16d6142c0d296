import { isJsonObject } from '../../core/json/json.ts';
import type { JsonSchema } from '../ports/model-port.ts';
import { isOfType } from './meant-value.ts';
import { isWholeMultiple } from './multiple-of.ts';

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

/** False means unknown: the sandbox decides. Most schemas are plain, and a thread costs a millisecond. */
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
