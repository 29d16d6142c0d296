/** Whether a JSON value has more levels of lists and objects within each other. Looks no deeper than it must. */
export const deeperThan = (levels: number, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((member) => deeperThan(levels - 1, member)));
