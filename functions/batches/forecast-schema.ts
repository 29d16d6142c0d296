import Big from 'big.js';
import * as z from 'zod';
import type { Forecast as Figures } from '../../shared/execution/forecast/totals.ts';

const Dollars = z.string().meta({ description: 'USD as decimal text' });

const Cost = z.object({
  expected: Dollars,
  p95: Dollars.meta({ description: 'USD as decimal text. Nineteen of twenty runs cost less' }),
  max: Dollars.nullable().meta({
    description:
      'USD as decimal text. No run costs more: with each retry, fallback and turn, as long as the limits allow. Null if nothing limits it',
  }),
});

export const ForecastResponse = z
  .object({
    records: z.int(),
    sampled: z.int().meta({ description: 'How many records it is derived from, chosen evenly' }),
    steps: z.array(
      z.object({
        stepId: z.string(),
        name: z.string(),
        type: z.string(),
        calls: z.object({ expected: z.int(), max: z.int() }),
        reused: z.int().meta({ description: 'How often an earlier result is taken over' }),
        tokens: z.object({ input: z.int(), output: z.int() }).meta({ description: 'Expected' }),
        cost: Cost.nullable().meta({ description: 'Null without a price, or if no record was looked at' }),
        basis: z.enum(['history', 'bounds', 'none']).meta({
          description:
            '`history`: at least 20 earlier results of the step with the model. `bounds`: the limits of the model. `none`: the step calls no model, or nothing is known of it',
        }),
      }),
    ),
    cost: Cost.nullable(),
    saved: Dollars.meta({ description: 'USD as decimal text: what earlier results save' }),
    durationSeconds: z.object({ expected: z.number(), p95: z.number() }),
    notes: z.array(z.string()).meta({ description: 'What the figures leave open, and why' }),
  })
  .meta({ id: 'Forecast' });

/** Twelve decimals are finer than the price of any token. */
const decimals = 12;

const dollars = (amount: number, rounding: 0 | 1 | 2 | 3 = Big.roundHalfUp) =>
  new Big(amount).round(decimals, rounding).toFixed();

const costOf = (cost: Figures['cost']): z.output<typeof Cost> | null =>
  cost && {
    expected: dollars(cost.expected),
    p95: dollars(cost.p95),
    max: cost.max === null ? null : dollars(cost.max, Big.roundUp),
  };

export const toForecastResponse = ({
  steps,
  cost,
  saved,
  ...facts
}: Figures): z.output<typeof ForecastResponse> => ({
  ...facts,
  steps: steps.map((step) => ({ ...step, cost: costOf(step.cost) })),
  cost: costOf(cost),
  saved: dollars(saved),
});
