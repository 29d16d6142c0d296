import { StepError } from '../../core/step-error.ts';

/** What S3 Vectors takes. */
export const dimensionsMax = 4_096;

/** The vector that a value is. @param what Names it in the error. @throws StepError */
export function vectorFrom(value: unknown, what: string): number[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isFloat)) {
    throw new StepError(`${what} is no vector: expected a list of numbers`);
  }
  if (value.length > dimensionsMax) {
    throw new StepError(`${what} has ${value.length} dimensions; ${dimensionsMax} are the most`);
  }
  if (value.every((number) => Math.fround(number) === 0)) {
    throw new StepError(`${what} is all zeros, and has no direction that could be compared`);
  }
  return value;
}

/** Vectors are kept as 32-bit floats. */
const isFloat = (value: unknown) => typeof value === 'number' && Number.isFinite(Math.fround(value));
