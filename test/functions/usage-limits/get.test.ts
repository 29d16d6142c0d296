import { expect, test } from 'vitest';
import { expectStatus } from '../../support/flows/flows.ts';
import { newKey, tenantWithKey } from '../../support/stack/keys.ts';
import { newTenant } from '../../support/stack/stack.ts';

const usageOf = async ({ call }: Pick<Awaited<ReturnType<typeof newTenant>>, 'call'>) =>
  (await expectStatus(200, call('GET', '/v1/usage-limits'))).usage;

test('a key sees both of its windows, including the current request', async () => {
  const { tenant, call } = await tenantWithKey([], { rateLimits: { perHour: 10, perDay: 40 } });
  const before = Date.now();
  expect(await usageOf({ call })).toMatchObject({ hourly: { executionsUsed: 1 } });
  for (let n = 0; n < 6; n++) await call('GET', '/v1/flows');
  const usage = await usageOf({ call });
  const same = {
    atSpendLimit: false,
    spendLimit: null,
    spendLimitEnabled: false,
    tier: 'none',
    inSlowMode: false,
    isAtLimit: false,
    isOverage: false,
    isUnlimited: false,
    overageCount: 0,
    executionsUsed: 8,
  };
  const [hourEnds, dayEnds] = [usage.hourly.resetsAt, usage.daily.resetsAt].map((text) => Date.parse(text));
  expect(usage).toEqual({
    hourly: {
      ...same,
      periodType: 'hourly',
      executionLimit: 10,
      remaining: 2,
      percentUsed: 80,
      isNearLimit: true,
      resetsAt: usage.hourly.resetsAt,
      date: new Date(Number(hourEnds) - 3_600_000).toISOString().slice(0, 10),
    },
    daily: {
      ...same,
      periodType: 'daily',
      executionLimit: 40,
      remaining: 32,
      percentUsed: 20,
      isNearLimit: false,
      resetsAt: usage.daily.resetsAt,
      date: new Date(Number(dayEnds) - 86_400_000).toISOString().slice(0, 10),
    },
    month: new Date().toISOString().slice(0, 7),
    isNearLimit: false,
    isOverLimit: false,
    isUnlimited: true,
    percentUsed: 0,
    remaining: null,
    atSpendLimit: false,
    spendLimit: null,
    spendLimitEnabled: false,
    platformTokenLimit: null,
    platformTokensUsed: 0,
    userId: tenant.userId,
  });
  expect(Math.abs(Number(hourEnds) - before - 3_600_000)).toBeLessThan(60_000);
});

test('the response headers state the same, up to the last request', async () => {
  const { call } = await tenantWithKey([], { rateLimits: { perHour: 2 } });
  await call('GET', '/v1/usage-limits');
  const { body, headers } = await call('GET', '/v1/usage-limits');
  expect(body.usage.hourly).toMatchObject({ executionsUsed: 2, remaining: 0, isAtLimit: true });
  expect(headers.get('x-ratelimit-remaining')).toBe('0');
  expect(Number(headers.get('x-ratelimit-reset')) * 1_000).toBe(Date.parse(body.usage.hourly.resetsAt));
  const refused = await call('GET', '/v1/usage-limits');
  expect(refused).toMatchObject({ status: 429, body: { details: 'Hourly limit of 2 requests reached' } });
});

test('a session sees its user’s own limits, ten times as high, whatever its permissions', async () => {
  const tenant = await newTenant({ permissions: [] });
  await newKey(await newTenant({ userId: tenant.userId }));
  const { hourly, daily } = await usageOf(tenant);
  // One for making the key, and one for asking.
  expect(hourly).toMatchObject({ executionLimit: 10_000, executionsUsed: 2 });
  expect(daily).toMatchObject({ executionLimit: 100_000, executionsUsed: 2 });
});
