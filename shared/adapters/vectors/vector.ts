import { StepError } from '../../core/errors/step-error.ts';
import { toLongDecimals } from '../../core/json/exact-json.ts';

/** The limit of S3 Vectors. */
const dimensionsMax = 4_096;

/** Validates a vector. @param what Its name in the error. @throws StepError */
export function parseVector(source: unknown, what: string): number[] {
  // Some models write more digits than a double has.
  const value = Array.isArray(source) ? toLongDecimals(source) : source;
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFloat)) {
    throw new StepError(`${what} is not a vector: expected a list of numbers`);
  }
  if (value.length > dimensionsMax) {
    throw new StepError(`${what} has ${value.length} dimensions; the maximum is ${dimensionsMax}`);
  }
  if (value.every((number) => Math.fround(number) === 0)) {
    throw new StepError(`${what} is all zeros, so it has no direction to compare`);
  }
  return value;
}

/** Vectors are stored as 32-bit floats. */
const isFloat = (value: unknown) => typeof value === 'number' && Number.isFinite(Math.fround(value));
