import { dollars, shortDollars } from './format.ts';

/** A cost in a column: never cut, and exact in its title. */
export const ListedCost = ({ of }: { of: string | number | null }) =>
  of === null ? '' : <span title={dollars(of)}>{shortDollars(of)}</span>;
