import * as z from 'zod';
import { Expression } from '../steps/code.ts';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';

const thirtyDays = 30 * 86_400_000;

export const Config = z
  .strictObject({
    delayMs: z.int().min(0).max(thirtyDays).optional().meta({ description: 'A fixed pause' }),
    condition: Expression.optional().meta({
      description:
        'A JavaScript expression that is asked again and again until it holds. It sees the clock, and the run’s record as it is then',
    }),
    timeoutMs: z.int().min(1).max(thirtyDays).optional().meta({
      description: 'When the condition does not hold by then, the step fails; 300,000 without it',
    }),
    pollIntervalMs: z.int().min(100).max(86_400_000).optional().meta({
      description: '5,000 without it; at least 10,000 after the first ten seconds',
    }),
    ...commonConfig,
  })
  .refine(({ delayMs, condition }) => (delayMs === undefined) !== (condition === undefined), {
    path: ['condition'],
    params: { code: 'MISSING_REQUIRED_FIELD' },
    message: 'Give either condition or delayMs',
  });
export type Config = z.infer<typeof Config>;

export const Output = z.object({ waitedMs: z.int(), result: z.unknown() });

export const waitUntilStep = defineStepType({
  type: 'wait-until',
  summary: 'Wait for a time to pass, or for a condition to hold',
  config: Config,
  output: Output,
  effects: false,
  takesSecrets: false,
  permission: null,
});
