import * as z from 'zod';
import type { RateLimit } from '../../shared/platform/auth/rate-limit-windows.ts';
import { clock } from '../../shared/platform/data/scope.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toLambda } from '../../shared/platform/http/lambda/lambda.ts';

const nearPercent = 80;

const Spending = {
  atSpendLimit: z.literal(false),
  spendLimit: z.number().nullable(),
  spendLimitEnabled: z.literal(false),
};
const noSpending = { atSpendLimit: false, spendLimit: null, spendLimitEnabled: false } as const;

const noMonthlyLimit = {
  isNearLimit: false,
  isOverLimit: false,
  isUnlimited: true,
  percentUsed: 0,
  remaining: null,
  platformTokenLimit: null,
  platformTokensUsed: 0,
} as const;
const noPlan = {
  inSlowMode: false,
  isOverage: false,
  isUnlimited: false,
  overageCount: 0,
  tier: 'none',
} as const;

const Window = z
  .object({
    date: z.string(),
    executionLimit: z.int(),
    executionsUsed: z.int(),
    inSlowMode: z.literal(false),
    isAtLimit: z.boolean(),
    isNearLimit: z.boolean(),
    isOverage: z.literal(false),
    isUnlimited: z.literal(false),
    overageCount: z.literal(0),
    percentUsed: z.number(),
    periodType: z.enum(['hourly', 'daily']),
    remaining: z.int(),
    resetsAt: z.string(),
    tier: z.literal('none'),
    ...Spending,
  })
  .meta({ id: 'UsageWindow' });

const Usage = z.object({
  hourly: Window,
  daily: Window,
  month: z.string(),
  isNearLimit: z.literal(false),
  isOverLimit: z.literal(false),
  isUnlimited: z.literal(true),
  percentUsed: z.literal(0),
  remaining: z.number().nullable(),
  platformTokenLimit: z.number().nullable(),
  platformTokensUsed: z.literal(0),
  userId: z.string(),
  ...Spending,
});

export const getUsageLimits = defineEndpoint({
  id: 'usage-limits.get',
  method: 'GET',
  path: '/v1/usage-limits',
  permission: 'authenticated',
  summary: 'Get the usage of the rate limits',
  description:
    'Covers the calling API key, or the user of the calling session. Limits apply to requests: `executions` counts requests, including this one. `hourly` and `daily` are the two windows. A window starts with its first request (`date`, UTC) and resets at `resetsAt`. A window is near its limit from 80 % on. The other members describe the month, which has no limit. There are no plans, spend limits, slow mode or platform tokens, so these members never change.',
  response: { kind: 'json', bodies: { 200: z.object({ usage: Usage }) } },
  needs: { now: clock },

  async handle({ principal, usage }, { now }) {
    const { hourly, daily } = await usage();
    if (!hourly) throw new Error('The caller has no hourly window');
    return {
      usage: {
        hourly: windowOf('hourly', hourly, 3_600),
        daily: windowOf('daily', daily, 86_400),
        month: now().toISOString().slice(0, 'yyyy-mm'.length),
        userId: principal.userId,
        ...noMonthlyLimit,
        ...noSpending,
      },
    };
  },
});

function windowOf<P extends string>(periodType: P, { limit, remaining, reset }: RateLimit, seconds: number) {
  const used = limit - remaining;
  const percentUsed = Math.round((used / limit) * 10_000) / 100;
  return {
    periodType,
    date: new Date((reset - seconds) * 1_000).toISOString().slice(0, 'yyyy-mm-dd'.length),
    resetsAt: new Date(reset * 1_000).toISOString(),
    executionLimit: limit,
    executionsUsed: used,
    remaining,
    percentUsed,
    isAtLimit: remaining === 0,
    isNearLimit: percentUsed >= nearPercent,
    ...noPlan,
    ...noSpending,
  };
}

export const handler = toLambda(getUsageLimits);
