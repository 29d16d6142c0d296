/**
 * How a step is tried again before its fallbacks: its retry policy with defaults, the pauses, and its time limit.
 * `execution/engine/retry-step.ts` follows it; what comes after the last attempt is in `error-handling.ts`.
 * The random part of a pause comes from the caller.
 */
import * as z from 'zod';
import { omitUndefined } from '../../../core/defined.ts';
import { failureKinds } from '../../../core/errors/step-error.ts';

const hour = 3_600_000;

const defaults = {
  maxAttempts: 3,
  initialDelayMs: 1_000,
  factor: 2,
  maxDelayMs: 60_000,
  jitter: 'full' as 'full' | 'none',
  on: [...failureKinds] as (typeof reasons)[number][],
  unsafe: false,
};

const reasons = [...failureKinds, 'any'] as const;

/** How a step is tried again. With it, fallbacks of the type retry, retries of the batch and of model clients do not apply. */
export const RetryPolicy = z
  .strictObject({
    maxAttempts: z.int().min(1).max(10).optional().meta({ description: 'With the first. Default: 3' }),
    initialDelayMs: z.int().min(0).max(hour).optional().meta({ description: 'Default: 1,000' }),
    factor: z.number().min(1).max(10).optional().meta({
      description: 'By how much each pause is longer than the one before. Default: 2',
    }),
    maxDelayMs: z.int().min(0).max(hour).optional().meta({ description: 'Default: 60,000' }),
    jitter: z
      .enum(['full', 'none'])
      .optional()
      .meta({ description: 'full (default): a random part of the pause. none: the whole pause' }),
    on: z.array(z.enum(reasons)).min(1).max(reasons.length).optional().meta({
      description:
        'Which failures: a time limit, 429, 5xx, no connection. `any` is every failure, also of scripts. Default: all but any',
    }),
    unsafe: z.boolean().optional().meta({
      description:
        'Whether to repeat also what may have taken effect: a POST that was answered 5xx or not at all, a message, a call of a tool with effects. It has the same Idempotency-Key each time. For requests that only read, and for servers that know the key. Default: false',
    }),
  })
  .meta({
    description:
      'Tries the step again after failures. `Retry-After` of the answer makes a pause longer, up to maxDelayMs. A pause of over ten seconds suspends the run. Fallbacks of the type retry, the maxRetries of a batch and a model client’s own retries do not apply then; other fallbacks follow the last attempt',
  });

export type RetryPolicy = z.infer<typeof RetryPolicy>;

export const timeoutMsOption = z.int().min(100).max(900_000).optional().meta({
  description:
    'How long an attempt of the step may work, in ms. Time in which the run is suspended does not count',
});

/** The policy with its defaults. */
export const retryPolicy = (policy: RetryPolicy): typeof defaults => ({
  ...defaults,
  ...omitUndefined(policy),
});

/**
 * The pause before an attempt, in ms: of the policy, or what the other side asked for if that is longer, within the policy's maximum.
 * @param attempt From 1, for the second.
 * @param random From 0 to 1
 */
export function computeRetryPause(policy: RetryPolicy, attempt: number, random: number, askedMs = 0): number {
  const { initialDelayMs, factor, maxDelayMs, jitter } = retryPolicy(policy);
  const whole = Math.min(maxDelayMs, initialDelayMs * factor ** (attempt - 1));
  const jittered = jitter === 'full' ? whole * random : whole;
  return Math.round(Math.max(jittered, Math.min(askedMs, maxDelayMs)));
}
