import Big from 'big.js';
import * as z from 'zod';

/** Costs are stored in whole units of 10^-15 USD: DynamoDB returns integers exactly, and no token price has finer parts. */
const unitsPerDollar = new Big('1e15');

/** A stored counter, as an exact number of any size. */
export const WholeNumber = z.union([z.int(), z.bigint()]).transform((value) => new Big(String(value)));

/** A cost in USD as stored units, for `add`. */
export const toCostUnits = (cost: Big): string => unitsPerDollar.times(cost).round(0).toFixed();

export const toDollars = (units: Big): Big => units.div(unitsPerDollar);
