/** Whether `npm run test:slow` runs. Some of its files import files of `npm test`, which then try more. */
export const isSlow = process.env.TESTS === 'slow';

/**
 * How often a property is tried: `all` times in the slow tests, and a fifth as often in the others. `PROPERTY_RUNS` is
 * another number for all.
 */
export const numRuns = (all: number): number =>
  Number(process.env.PROPERTY_RUNS ?? (isSlow ? all : Math.ceil(all / 5)));
