/** How many levels of lists and objects JSON from outside may have within each other. */
export const levelsMax = 100;

/** Whether a JSON value has more levels than these. Looks no deeper than it must. */
export const isDeeperThan = (levels: number, value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(levels - 1, member));
};
