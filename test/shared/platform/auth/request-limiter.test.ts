import { expect, test } from 'vitest';
import { newId } from '../../../../shared/core/ids.ts';
import { apiKeyStore } from '../../../../shared/domain/api-keys/api-key-store.ts';
import {
  type ApiKey,
  apiKeyEntity,
  sessionRateLimitEntity,
  zeroCounters,
} from '../../../../shared/platform/auth/api-key.ts';
import { admit, admitAddress } from '../../../../shared/platform/auth/request-limiter.ts';
import type { Principal } from '../../../../shared/platform/identity/principal.ts';
import { tenantWithKey } from '../../../support/stack/keys.ts';
import { byClock, countingRuntime } from '../../../support/stack/stack.ts';

const start = Date.parse('2026-01-31T23:59:50.000Z');
const access = { permission: 'FLOWS:READ' } as const;

/** A key of a tenant of its own, and a clock that is set by hand. */
async function keyWith(changes: Partial<ApiKey> = {}) {
  const runtime = countingRuntime();
  const tenant = `user:${newId('key')}`;
  let at = start;
  const scope = byClock(runtime.scopeOf(tenant), () => new Date(at));
  const key: ApiKey = {
    id: newId('key'),
    name: 'k',
    userId: 'u',
    organizationId: null,
    environment: 'production',
    hash: newId('key'),
    keyPrefix: '',
    searchHint: '',
    permissions: ['FLOWS:READ'],
    allowedIps: [],
    isActive: true,
    expiresAt: null,
    createdAt: '',
    updatedAt: '',
    ...zeroCounters,
    ...changes,
  };
  const principal: Principal = {
    kind: 'key',
    tenant,
    userId: 'u',
    organizationId: null,
    environment: 'production',
    keyId: key.id,
    hash: key.hash,
    permissions: [],
    sourceIp: '203.0.113.7',
  };
  await apiKeyStore(scope).create(principal, key);
  runtime.reset();
  return {
    runtime,
    scope,
    principal,
    admit: (as: Partial<Principal> = {}) => admit(scope, { ...principal, ...as }, access),
    advance: (ms: number) => {
      at += ms;
    },
    change: (set: Partial<ApiKey>) =>
      scope.table.commit([scope.table.writes.update(apiKeyEntity, { id: key.id }, { set })]),
  };
}

const fromNothing = (count: number) => Array.from({ length: count }, (_, left) => left);

test('exactly 1,000 of 1,200 concurrent requests with a new key are admitted', async () => {
  const { admit } = await keyWith();
  const all = await Promise.all(Array.from({ length: 1_200 }, () => admit()));
  const admitted = all.filter(({ refusal }) => !refusal);
  const left = admitted.map(({ rateLimit }) => rateLimit.remaining);
  expect(left.toSorted((a, b) => a - b)).toEqual(fromNothing(1_000));
  const refused = all.filter(({ refusal }) => refusal?.code === 'RATE_LIMITED');
  expect(refused).toHaveLength(200);
}, 120_000);

test('exactly 100 of 150 concurrent HTTP requests with a key of 100 an hour are admitted', async () => {
  const { call } = await tenantWithKey(['FLOWS:READ'], { rateLimits: { perHour: 100 } });
  const answers = await Promise.all(fromNothing(150).map(() => call('GET', '/v1/flows?limit=1')));
  const admitted = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(50);
  expect(refused[0]?.body).toEqual({
    error: 'Rate limit exceeded',
    details: 'Hourly limit of 100 requests reached',
  });
  expect(refused[0]?.headers.get('x-ratelimit-remaining')).toBe('0');
  const left = admitted.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
  expect(left.toSorted((a, b) => a - b)).toEqual(fromNothing(100));
}, 120_000);

test('a warm request costs one update; the first request of a window costs a second one', async () => {
  const { admit, runtime } = await keyWith();
  await admit();
  expect(runtime.consumed.commands).toEqual(['UpdateItem', 'UpdateItem']);
  runtime.reset();
  await admit();
  expect(runtime.consumed).toMatchObject({ commands: ['UpdateItem'], capacityUnits: 1 });
});

test('an hourly window starts with its first request; a full window admits nothing until it ends', async () => {
  const { admit, advance } = await keyWith({ perHour: 2 });
  const first = await admit();
  expect(first.rateLimit).toEqual({ limit: 2, remaining: 1, reset: start / 1_000 + 3_600 });
  advance(1_000);
  expect((await admit()).refusal).toBeUndefined();
  const third = await admit();
  expect(third.refusal).toMatchObject({
    code: 'RATE_LIMITED',
    message: 'Hourly limit of 2 requests reached',
  });
  expect(third.rateLimit).toMatchObject({ remaining: 0, reset: start / 1_000 + 3_600 });
  advance(3_600_000);
  expect(await admit()).toMatchObject({ refusal: undefined, rateLimit: { remaining: 1 } });
});

test('after the clock was set back by days, a full window of the later time admits requests', async () => {
  const { admit, advance } = await keyWith({ perHour: 1 });
  await admit();
  expect((await admit()).refusal).toMatchObject({ code: 'RATE_LIMITED' });
  advance(-3 * 86_400_000);
  expect((await admit()).refusal).toBeUndefined();
  expect((await admit()).refusal).toMatchObject({ code: 'RATE_LIMITED' });
});

test('requests are limited per hour and per day; the headers show the tighter limit', async () => {
  const { admit, advance } = await keyWith({ perHour: 2, perDay: 3 });
  await admit();
  await admit();
  advance(3_600_000);
  expect((await admit()).rateLimit).toEqual({ limit: 3, remaining: 0, reset: start / 1_000 + 86_400 });
  expect((await admit()).refusal).toMatchObject({
    code: 'RATE_LIMITED',
    message: 'Daily limit of 3 requests reached',
  });
});

test('a window resets at its exact second; until then the refusal gives the seconds to wait', async () => {
  const { admit, advance } = await keyWith({ perHour: 1, perDay: 2 });
  const wait = async () => (await admit()).refusal;
  await admit();
  const hourly = 'Hourly limit of 1 requests reached';
  const daily = 'Daily limit of 2 requests reached';
  expect(await wait()).toMatchObject({ message: hourly, retryAfterSeconds: 3600 });
  // The clock began at a whole second.
  advance(3_599_001);
  expect(await wait()).toMatchObject({ message: hourly, retryAfterSeconds: 1 });
  advance(998);
  expect(await wait()).toMatchObject({ message: hourly, retryAfterSeconds: 1 });
  advance(1);
  expect(await wait()).toBeUndefined();
  advance(3_600_000);
  expect(await wait()).toMatchObject({ message: daily, retryAfterSeconds: 79200 });
  advance(79_199_999);
  expect(await wait()).toMatchObject({ message: daily, retryAfterSeconds: 1 });
  advance(1);
  const anew = await admit();
  expect(anew).toMatchObject({
    refusal: undefined,
    windows: { hourly: { remaining: 0 }, daily: { remaining: 1 } },
  });
});

test('unused requests of an hour or a day do not carry over to the next', async () => {
  const { admit, advance } = await keyWith({ perHour: 3, perDay: 4 });
  const remaining = async () => {
    const { windows, refusal } = await admit();
    return [windows.hourly?.remaining, windows.daily.remaining, refusal?.code];
  };
  expect(await remaining()).toEqual([2, 3, undefined]);
  // The very second at which the hour is over, and then the one at which the day is.
  advance(3_600_000);
  expect(await remaining()).toEqual([2, 2, undefined]);
  expect(await remaining()).toEqual([1, 1, undefined]);
  advance(82_800_000);
  expect(await remaining()).toEqual([2, 3, undefined]);
});

test('the current hourly window continues when the daily window resets', async () => {
  const { admit, advance } = await keyWith({ perHour: 3, perDay: 4 });
  await admit();
  advance(85_000_000);
  await admit();
  const { windows } = await admit();
  advance(1_400_000);
  expect((await admit()).windows).toEqual({
    hourly: { limit: 3, remaining: 0, reset: windows.hourly?.reset },
    daily: { limit: 4, remaining: 3, reset: start / 1_000 + 2 * 86_400 },
  });
  expect((await admit()).refusal).toMatchObject({ message: 'Hourly limit of 3 requests reached' });
});

test('if the day ends while the hour is full, the daily window is shown as the next request would start it', async () => {
  const { admit, advance } = await keyWith({ perHour: 1, perDay: 4 });
  await admit();
  advance(85_000_000);
  await admit();
  advance(1_400_000);
  const { windows, refusal } = await admit();
  expect(refusal).toMatchObject({ message: 'Hourly limit of 1 requests reached' });
  expect(windows.daily).toEqual({ limit: 4, remaining: 4, reset: start / 1_000 + 2 * 86_400 });
});

test('the headers show the hourly window when both windows have equally many requests left', async () => {
  const { admit } = await keyWith({ perHour: 5, perDay: 5 });
  expect((await admit()).rateLimit.reset).toBe(start / 1_000 + 3_600);
});

test('a limit lowered below the current count leaves 0 remaining, not a negative number', async () => {
  const { admit, change } = await keyWith({ perHour: 5 });
  await admit();
  await admit();
  await change({ perHour: 1 });
  expect(await admit()).toMatchObject({
    refusal: { code: 'RATE_LIMITED' },
    rateLimit: { limit: 1, remaining: 0 },
  });
});

test('concurrent first requests of a session are all counted, and the counters outlive both windows', async () => {
  const { scope, principal, advance } = await keyWith();
  const session: Principal = { ...principal, kind: 'session', keyId: null, hash: null, permissions: ['*'] };
  const all = await Promise.all(Array.from({ length: 20 }, () => admit(scope, session, access)));
  expect(Math.min(...all.map(({ rateLimit }) => rateLimit.remaining))).toBe(9_980);
  // An hour that begins a minute before the day is over.
  advance(86_340_000);
  const { windows } = await admit(scope, session, access);
  const stored = await scope.table.getMany([sessionRateLimitEntity.key(session)]);
  expect(stored[0]?.ttl).toBeGreaterThan(windows.hourly?.reset ?? 0);
});

test('a full day is reported as the daily limit, even if the previous hour was full too', async () => {
  const { admit, advance } = await keyWith({ perHour: 1, perDay: 1 });
  await admit();
  advance(3_600_000);
  const { rateLimit, refusal } = await admit();
  expect(refusal).toMatchObject({ message: 'Daily limit of 1 requests reached' });
  expect(rateLimit).toEqual({ limit: 1, remaining: 0, reset: start / 1_000 + 86_400 });
});

test('exactly the limit of 50 concurrent clients is admitted, also when a window ends meanwhile', async () => {
  const { admit, advance } = await keyWith({ perHour: 20 });
  for (let hour = 0; hour < 3; hour++) {
    const admissions = await Promise.all(Array.from({ length: 50 }, () => admit()));
    const admitted = admissions.filter(({ refusal }) => !refusal);
    expect(admitted).toHaveLength(20);
    expect(admitted.map(({ rateLimit }) => rateLimit.remaining).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, index) => index),
    );
    advance(3_600_000);
  }
});

test('exactly the limit of 50 concurrent clients is admitted when the daily window resets within an hour', async () => {
  const { admit, advance } = await keyWith({ perHour: 100, perDay: 20 });
  await admit();
  advance(85_000_000);
  await admit();
  advance(1_400_000);
  const admissions = await Promise.all(Array.from({ length: 50 }, () => admit()));
  const admitted = admissions.filter(({ refusal }) => !refusal);
  expect(admitted).toHaveLength(20);
  expect(Math.min(...admitted.map(({ windows }) => windows.hourly?.remaining ?? 0))).toBe(79);
});

test('exactly the limit of 50 concurrent HTTP clients is admitted', async () => {
  const { call } = await tenantWithKey(['FLOWS:READ'], { rateLimits: { perHour: 30 } });
  const answers = await Promise.all(Array.from({ length: 50 }, () => call('GET', '/v1/flows')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(30);
  expect(refused).toHaveLength(20);
  for (const { body, headers } of refused) {
    expect(body).toEqual({ error: 'Rate limit exceeded', details: 'Hourly limit of 30 requests reached' });
    const reset = Number(headers.get('x-ratelimit-reset'));
    const retryAfter = Number(headers.get('retry-after'));
    expect(Math.abs(Date.now() / 1_000 + retryAfter - reset)).toBeLessThan(60);
    expect(retryAfter).toBeLessThanOrEqual(3_600);
  }
});

test('an expired session token is refused without counting, even if the gateway still caches it', async () => {
  const { admit, advance, runtime } = await keyWith();
  const expiresAt = start / 1_000 + 2;
  const until: Partial<Principal> = {
    kind: 'session',
    keyId: null,
    hash: null,
    permissions: ['*'],
    expiresAt,
  };
  advance(1_999);
  expect((await admit(until)).refusal).toBeUndefined();
  advance(1);
  runtime.reset();
  expect((await admit(until)).refusal).toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(runtime.consumed.commands).toEqual([]);
});

test('disabling, expiry, rotation, deletion and narrowing take effect immediately', async () => {
  const { admit, advance, change } = await keyWith();
  await admit();
  await change({ permissions: ['RECORDS:READ'] });
  expect((await admit()).refusal).toMatchObject({
    code: 'MISSING_PERMISSION',
    message: 'Missing required permission: FLOWS:READ',
  });
  await change({ permissions: ['FLOWS:READ'], isActive: false });
  expect((await admit()).refusal).toMatchObject({ code: 'UNAUTHENTICATED' });
  await change({ isActive: true, expiresAt: new Date(start + 5_000).toISOString() });
  expect((await admit()).refusal).toBeUndefined();
  advance(5_000);
  expect((await admit()).refusal).toMatchObject({ code: 'UNAUTHENTICATED' });
  await change({ expiresAt: null });
  expect((await admit({ hash: 'an older value of the key' })).refusal).toMatchObject({
    code: 'UNAUTHENTICATED',
  });
  expect((await admit({ keyId: newId('key') })).refusal).toMatchObject({ code: 'UNAUTHENTICATED' });
});

test('a key with an address allowlist is refused from other addresses', async () => {
  const { admit } = await keyWith({ allowedIps: ['203.0.113.0/28', '2001:db8::/32'] });
  expect((await admit()).refusal).toBeUndefined();
  expect((await admit({ sourceIp: '2001:db8::1' })).refusal).toBeUndefined();
  for (const sourceIp of ['203.0.113.16', '::1', 'not an address', null]) {
    expect((await admit({ sourceIp })).refusal).toMatchObject({
      code: 'FORBIDDEN',
      message: 'IP address not allowed',
    });
  }
});

test('sessions are rate-limited per user, at ten times a key’s limit', async () => {
  const { scope, principal } = await keyWith();
  const session: Principal = { ...principal, kind: 'session', keyId: null, hash: null, permissions: ['*'] };
  const { rateLimit, windows } = await admit(scope, session, access);
  expect(rateLimit).toMatchObject({ limit: 10_000, remaining: 9_999 });
  expect(windows.daily).toMatchObject({ limit: 100_000, remaining: 99_999 });
  expect((await admit(scope, session, access)).rateLimit).toMatchObject({ remaining: 9_998 });
});

test('callers without a credential are rate-limited per address, at a tenth of a key’s limit', async () => {
  const { scope } = await keyWith();
  const { windows } = await admitAddress(scope, `2001:db8:${newId('key').slice(-4)}::1`);
  expect(windows).toMatchObject({ hourly: { limit: 100 }, daily: { limit: 1_000 } });
});
