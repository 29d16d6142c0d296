import Big from 'big.js';

/** How many calls a slice is for. */
const callsPerSlice = 15;
/** A hundred processes that each hold a slice leave a part for others. */
const partOfBudget = 128;

/**
 * How much more than a call needs a process takes from a budget, in USD. Far from the limit that saves the requests of later
 * calls; near it, where a slice would be smaller than a call, each call takes what it needs.
 */
export function budgetSlice(left: Big, wanted: Big): Big {
  const part = left.div(partOfBudget);
  if (part.lt(wanted)) return new Big(0);
  const slice = wanted.times(callsPerSlice);
  return (part.lt(slice) ? part : slice).round(12, Big.roundDown);
}
