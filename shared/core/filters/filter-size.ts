import { groupDigits } from '../text.ts';

/** Limits of a whole filter. Up to 50,000 records evaluate each condition. */
const conditionsMax = 500;
const valuesMax = 10_000;
export const valueCharactersMax = 10_000;

export const filterSizes = `${groupDigits(conditionsMax)} conditions (groups included), ${groupDigits(valuesMax)} values in lists and ${groupDigits(valueCharactersMax)} characters per text at most`;
export const valueTooLong = `A text has at most ${groupDigits(valueCharactersMax)} characters`;

export const isTooLong = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isTooLong)
    : typeof value === 'string' && value.length > valueCharactersMax;

interface Part {
  conditions?: unknown;
  value?: unknown;
}

/** Returns what exceeds a limit in an unparsed filter. Runs before parsing, which takes long for large filters. */
export function filterSizeProblem(filter: unknown, levels: number): string | undefined {
  let [conditions, values] = [0, 0];
  let parts = [filter];
  for (let level = 0; level <= levels; level++) {
    const objects = parts.filter((part): part is Part => typeof part === 'object' && part !== null);
    const groups = objects.flatMap((part) => (Array.isArray(part.conditions) ? [part.conditions] : []));
    conditions += groups.reduce((sum, { length }) => sum + length, 0);
    values += objects.reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 0), 0);
    if (conditions > conditionsMax) return `A filter has at most ${groupDigits(conditionsMax)} conditions`;
    if (values > valuesMax) return `A filter has at most ${groupDigits(valuesMax)} values in lists`;
    parts = groups.flat();
  }
  return undefined;
}
