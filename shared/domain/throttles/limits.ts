import Big from 'big.js';
import * as z from 'zod';
import type { CallLimits } from '../../adapters/models/call-limits.ts';
import { omitUndefined } from '../../core/defined.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { modelsPartition } from '../budgets/budget/budget.ts';

export const StoredLimits = z.object({
  requestsPerMinute: z.int().optional(),
  tokensPerMinute: z.int().optional(),
  maxConcurrent: z.int().optional(),
  usdPerMinute: z.string().optional(),
});

export const ShownLimits = StoredLimits.meta({
  description: 'Limits of the calls over all runs. A missing member is no limit',
});

/** A throttle counts money in these, as whole numbers. */
const unitsPerUsd = 1_000_000_000;

/** Rounded up, so that no cost is free. */
export const toThrottleUnits = (usd: string): number =>
  new Big(usd).times(unitsPerUsd).round(0, Big.roundUp).toNumber();

const createLimit = (max: number) => z.int().min(1).max(max).nullable().optional();

/** In requests: missing members stay unchanged, null lifts a limit. */
export const CallLimitsChange = z
  .strictObject({
    requestsPerMinute: createLimit(1_000_000).meta({ description: 'The most requests in any 60 seconds' }),
    tokensPerMinute: createLimit(1_000_000_000).meta({
      description:
        'The most tokens in any 60 seconds. A call reserves its estimated input and its output limit, until its usage is known',
    }),
    maxConcurrent: createLimit(10_000).meta({
      title: 'Concurrent requests',
      description: 'The most requests at the same time',
    }),
    usdPerMinute: z
      .string()
      .regex(/^\d{1,6}(\.\d{1,9})?$/, {
        error: 'Expected USD as decimal text such as "0.50", below 1,000,000',
        abort: true,
      })
      .refine((text) => new Big(text).gt(0), 'Expected more than 0')
      .nullable()
      .optional()
      .meta({
        title: 'USD per minute',
        description:
          'The most USD in any 60 seconds, as decimal text. A call reserves its highest cost, until its cost is known. One that alone may cost more fails with `RATE_LIMITED`. Models without a price do not count',
      }),
  })
  .meta({
    description:
      'Limits of the calls over all runs. Null lifts one. A call that would have to wait for longer than ten seconds suspends its run',
    examples: [{ requestsPerMinute: 600, tokensPerMinute: 200_000 }],
  });
export type CallLimitsChange = z.infer<typeof CallLimitsChange>;

/** @returns undefined if there is none */
export function mergeLimits(before: CallLimits = {}, change: CallLimitsChange = {}): CallLimits | undefined {
  const { requestsPerMinute, tokensPerMinute, maxConcurrent, usdPerMinute } = {
    ...before,
    ...omitUndefined(change),
  };
  const limits = omitUndefined({
    requestsPerMinute: requestsPerMinute ?? undefined,
    tokensPerMinute: tokensPerMinute ?? undefined,
    maxConcurrent: maxConcurrent ?? undefined,
    usdPerMinute: usdPerMinute ?? undefined,
  });
  return isLimited(limits) ? limits : undefined;
}

export const isLimited = (limits: CallLimits | undefined): limits is CallLimits =>
  Object.values(limits ?? {}).some((limit) => limit !== undefined);

/** A provider takes no calls with a key until then. Stands where a run reads its model, so that it costs no request more. */
const KeyPause = z.object({
  /** Of the provider key; of the deployment's key, the name of the provider. */
  id: z.string(),
  until: z.string(),
  ttl: z.int(),
});
export type KeyPause = z.infer<typeof KeyPause>;

export const keyPauseEntity = defineEntity({
  type: 'keyPause',
  schema: KeyPause,
  key: ({ id }: { id: string }) => ({ PK: modelsPartition, SK: `PAUSE#${id}` }),
});
