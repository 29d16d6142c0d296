import * as z from 'zod';

const Cost = z.object({
  expected: z.number(),
  p95: z.number().meta({ description: 'Nineteen of twenty runs cost less' }),
  max: z.number().nullable().meta({
    description:
      'No run costs more: with each retry, fallback and turn, as long as the limits allow. Null if nothing limits it',
  }),
});

export const Forecast = z
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
        cost: Cost.nullable().meta({ description: 'USD; null without a price' }),
        basis: z.enum(['history', 'bounds', 'none']).meta({
          description:
            '`history`: at least 20 earlier results of the step with the model. `bounds`: the limits of the model. `none`: the step calls no model, or nothing is known of it',
        }),
      }),
    ),
    cost: Cost.nullable(),
    saved: z.number().meta({ description: 'USD that earlier results save' }),
    durationSeconds: z.object({ expected: z.number(), p95: z.number() }),
    notes: z.array(z.string()).meta({ description: 'What the figures leave open, and why' }),
  })
  .meta({ id: 'Forecast' });
