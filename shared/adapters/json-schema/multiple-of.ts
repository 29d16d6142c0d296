import Big from 'big.js';

/** By the digits that JSON writes: as doubles, 19.99 is no multiple of 0.01. */
export const isWholeMultiple = (value: number, step: number): boolean =>
  Number.isSafeInteger(value) && Number.isSafeInteger(step)
    ? value % step === 0
    : new Big(value).mod(step).eq(0);
