/** Of a whole filter. Each condition is asked of up to 50,000 records. */
const conditionsMax = 500;
const valuesMax = 10_000;
/** Of one text among the values. */
export const valueCharactersMax = 10_000;

const count = (number: number) => number.toLocaleString('en-US');

export const filterSizes = `${count(conditionsMax)} conditions (groups included), ${count(valuesMax)} values in lists and ${count(valueCharactersMax)} characters a text at most`;
export const valueTooLong = `A text may have ${count(valueCharactersMax)} characters at most`;

export const isTooLong = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(isTooLong)
    : typeof value === 'string' && value.length > valueCharactersMax;

interface Part {
  conditions?: unknown;
  value?: unknown;
}

/** What is too much of a filter whose parts have not been looked at yet, which would take long. */
export function sizeProblem(filter: unknown, levels: number): string | undefined {
  let [conditions, values] = [0, 0];
  let parts = [filter];
  for (let level = 0; level <= levels; level++) {
    const objects = parts.filter((part): part is Part => typeof part === 'object' && part !== null);
    const groups = objects.flatMap((part) => (Array.isArray(part.conditions) ? [part.conditions] : []));
    conditions += groups.reduce((sum, { length }) => sum + length, 0);
    values += objects.reduce((sum, { value }) => sum + (Array.isArray(value) ? value.length : 0), 0);
    if (conditions > conditionsMax) return `A filter may have ${count(conditionsMax)} conditions at most`;
    if (values > valuesMax) return `A filter may have ${count(valuesMax)} values in lists at most`;
    parts = groups.flat();
  }
  return undefined;
}
