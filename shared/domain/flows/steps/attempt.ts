import * as z from 'zod';

/** So many are recorded. */
export const attemptsMax = 20;

const types = {
  initial: 'the step or the agent as configured',
  retry: 'a fallback: the same again',
  model: 'a fallback: another model',
  provider: 'a fallback: the same model at another provider',
  message: 'a fallback: the message instead of a response',
  'run-retry': 'the batch ran the record again from this step',
} as const;
const typeNames = Object.keys(types) as [keyof typeof types, ...(keyof typeof types)[]];

export const Attempt = z
  .object({
    type: z.enum(typeNames).meta({
      description: Object.entries(types)
        .map(([name, text]) => `${name}: ${text}`)
        .join('; '),
    }),
    model: z.string().optional().meta({ description: 'The model of the fallback' }),
    delayMs: z.int().optional().meta({ description: 'The pause before the attempt' }),
    startedAt: z.iso.datetime().optional(),
    durationMs: z.int(),
    status: z.enum(['completed', 'empty', 'failed']),
    error: z.string().optional(),
  })
  .meta({
    id: 'Attempt',
    examples: [
      {
        type: 'initial',
        startedAt: '2026-11-26T08:15:30.412Z',
        durationMs: 412,
        status: 'failed',
        error: 'The model is overloaded',
      },
    ],
  });
export type Attempt = z.infer<typeof Attempt>;

export const attemptsDescription = `The attempts in their order (the first ${attemptsMax}), if there was more than one. Those before a wait are not recorded`;
