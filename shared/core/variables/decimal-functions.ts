import { Decimal } from 'decimal.js';

/** Decimals of 50 digits. */
export const Exact = Decimal.clone({
  precision: 50,
  maxE: 1_000,
  minE: -1_000,
  rounding: Decimal.ROUND_HALF_UP,
});

export const constants: Record<string, Decimal> = {
  pi: new Exact('3.14159265358979323846264338327950288419716939937510582'),
  e: new Exact('2.71828182845904523536028747135266249775724709369995957'),
};

export const arithmetic: Record<string, (left: Decimal, right: Decimal) => Decimal> = {
  '+': (left, right) => left.plus(right),
  '-': (left, right) => left.minus(right),
  '*': (left, right) => left.times(right),
  '/': (left, right) => left.div(right),
  '%': (left, right) => left.mod(right),
  '**': (left, right) => left.pow(right),
};

const sum = (values: readonly Decimal[]) => values.reduce((total, value) => total.plus(value), new Exact(0));
const one = (compute: (value: Decimal) => Decimal) => ({
  least: 1,
  most: 1,
  compute: ([value]: Decimal[]) => compute(value as Decimal),
});
const many = (compute: (values: Decimal[]) => Decimal) => ({ least: 1, most: 100, compute });

export const functions: Record<
  string,
  { least: number; most: number; compute: (values: Decimal[]) => Decimal }
> = {
  abs: one((value) => value.abs()),
  ceil: one((value) => value.ceil()),
  floor: one((value) => value.floor()),
  trunc: one((value) => value.trunc()),
  sqrt: one((value) => value.sqrt()),
  cbrt: one((value) => value.cbrt()),
  exp: one((value) => value.exp()),
  ln: one((value) => value.ln()),
  log10: one((value) => value.log(10)),
  log2: one((value) => value.log(2)),
  round: {
    least: 1,
    most: 2,
    compute: ([value, places]) => rounded(value as Decimal, places),
  },
  min: many((values) => Exact.min(...values)),
  max: many((values) => Exact.max(...values)),
  sum: many(sum),
  avg: many((values) => sum(values).div(values.length)),
};

function rounded(value: Decimal, places: Decimal = new Exact(0)): Decimal {
  if (places.isInteger() && places.gte(0) && places.lte(50)) return value.toDecimalPlaces(places.toNumber());
  throw new RangeError('round takes a whole number of places from 0 to 50');
}
