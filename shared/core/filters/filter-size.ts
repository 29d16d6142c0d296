/** Limits of a whole filter. Up to 50,000 records evaluate each condition. */
const conditionsMax = 500;
const valuesMax = 10_000;
export const valueCharactersMax = 10_000;

/** Not `toLocaleString`: its first call takes 13 ms, and this module is in the start-up code of most Lambdas. */
const count = (number: number) =>
  number < 1_000
    ? String(number)
    : `${Math.floor(number / 1_000)},${String(number % 1_000).padStart(3, '0')}`;

export const filterSizes = `${count(conditionsMax)} conditions (groups included), ${count(valuesMax)} values in lists and ${count(valueCharactersMax)} characters per text at most`;
export const valueTooLong = `A text has at most ${count(valueCharactersMax)} characters`;

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
    if (conditions > conditionsMax) return `A filter has at most ${count(conditionsMax)} conditions`;
    if (values > valuesMax) return `A filter has at most ${count(valuesMax)} values in lists`;
    parts = groups.flat();
  }
  return undefined;
}
