export const nestingLevelsMax = 100;

/** Whether a JSON value is nested deeper than `levels`. Stops at the first such part. */
export const isDeeperThan = (levels: number, value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  const members: unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.some((member) => isDeeperThan(levels - 1, member));
};
