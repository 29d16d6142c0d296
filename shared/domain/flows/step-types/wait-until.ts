import * as z from 'zod';
import { commonConfig } from '../steps/common-config.ts';
import { defineStepType } from '../steps/step.ts';
import { Expression } from '../steps/template-text.ts';

const thirtyDays = 30 * 86_400_000;

export const WaitUntilConfig = z
  .strictObject({
    delayMs: z.int().min(0).max(thirtyDays).optional().meta({ description: 'A fixed delay' }),
    condition: Expression.optional().meta({
      description:
        'A JavaScript expression, evaluated until it is true. It reads the clock and the current state of the run’s record',
    }),
    timeoutMs: z.int().min(1).max(thirtyDays).optional().meta({
      description: 'If the condition is not true by then, the step fails. Default: 300,000',
    }),
    pollIntervalMs: z.int().min(100).max(86_400_000).optional().meta({
      description: 'Default: 5,000. At least 10,000 after the first ten seconds',
    }),
    ...commonConfig,
  })
  .refine(({ delayMs, condition }) => (delayMs === undefined) !== (condition === undefined), {
    path: ['condition'],
    params: { code: 'MISSING_REQUIRED_FIELD' },
    message: 'Give either condition or delayMs',
  });
export type WaitUntilConfig = z.infer<typeof WaitUntilConfig>;

export const Output = z.object({ waitedMs: z.int(), result: z.unknown() });

export const waitUntilStep = defineStepType({
  type: 'wait-until',
  summary: 'Wait for a time, or for a condition',
  config: WaitUntilConfig,
  output: Output,
  effects: false,
  reusable: false,
  takesSecrets: false,
  callsModels: false,
  permission: null,
});
