/**
 * The arithmetic of fixed windows: a minute, an hour and a day, each beginning with its first request, kept as counters on the
 * credential's item.
 *
 * Pure functions over what is stored; `request-limiter.ts` builds the conditions and the writes from them, and the headers and
 * the endpoint of usage limits report them. A window whose end is implausibly far ahead began before a clock was set back, and
 * counts as ended.
 */

import { forbidden, rateLimited, type ServiceError } from '../../core/errors/errors.ts';

/** One window: requests allowed, requests left, and the Unix second of its reset. */
export interface RateLimit {
  limit: number;
  remaining: number;
  reset: number;
}

const hour = 3_600;
export const daySeconds = 86_400;

const kinds = {
  minutely: {
    seconds: 60,
    limit: 'perMinute',
    count: 'minuteCount',
    endsAt: 'minuteEndsAt',
    title: 'Minutely',
  },
  hourly: { seconds: hour, limit: 'perHour', count: 'hourCount', endsAt: 'hourEndsAt', title: 'Hourly' },
  daily: { seconds: daySeconds, limit: 'perDay', count: 'dayCount', endsAt: 'dayEndsAt', title: 'Daily' },
} as const;
type WindowName = keyof typeof kinds;
type Kind = (typeof kinds)[WindowName];

/** Requests per window. What has no limit for a window has no such window. */
export interface RequestLimits {
  perMinute?: number;
  perHour?: number;
  perDay: number;
}

/** The windows of one credential. Callers of most endpoints have an hourly and a daily one. */
export type Windows = { [Name in WindowName]?: RateLimit } & { daily: RateLimit };

export type Counters = { [Name in Kind['count' | 'endsAt' | 'limit']]?: number | undefined } & {
  lifetimeMax?: number | undefined;
  usageCount?: number | undefined;
};

export const maximumLimits = { perHour: 1_000_000, perDay: 1_000_000 } as const;

export const readDefaultLimits = (): { perHour: number; perDay: number } => ({
  perHour: Number(process.env.RATE_LIMIT_PER_HOUR ?? 1_000),
  perDay: Number(process.env.RATE_LIMIT_PER_DAY ?? 10_000),
});

/** The windows that have a limit, the shortest first. */
export const listWindowKinds = (limits: RequestLimits): [WindowName, Kind][] =>
  (Object.entries(kinds) as [WindowName, Kind][]).filter(([, { limit }]) => limits[limit] !== undefined);

const getLimit = (kind: Kind, limits: RequestLimits, item: Counters = {}): number =>
  item[kind.limit] ?? limits[kind.limit] ?? 0;

/** Of a request that was not counted: clients that read that none are left wait, although nothing was used (D29). */
export function createUncountedLimit(): RateLimit {
  return createWindow(readDefaultLimits().perHour, 0, 0);
}

export const toRateLimitHeaders = ({ limit, remaining, reset }: RateLimit) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(reset),
});

/** The window with the fewest requests left, of several the shortest. The headers report it. */
export const pickTightestWindow = ({ minutely, hourly, daily }: Windows): RateLimit =>
  [minutely, hourly, daily]
    .filter((window) => window !== undefined)
    .reduce((tightest, window) => (window.remaining < tightest.remaining ? window : tightest));

/** How far the clock of another process may be ahead. */
const skewSeconds = 60;

/** The latest end of a window. One that ends later began before the clock was set back, and would last until it caught up. */
export const getLatestEnd = (kind: Kind, seconds: number): number => seconds + kind.seconds + skewSeconds;

const isCurrent = (endsAt: number, kind: Kind, seconds: number): boolean =>
  endsAt > seconds && endsAt <= getLatestEnd(kind, seconds);

/** The counters after one more request, which starts a new window in place of each that has ended (D109). */
export function beginWindows(stored: Counters | undefined, limits: RequestLimits, seconds: number) {
  const counters: Record<string, number> = {};
  for (const [, kind] of listWindowKinds(limits)) {
    const endsAt = stored?.[kind.endsAt] ?? 0;
    const isOver = !isCurrent(endsAt, kind, seconds);
    counters[kind.count] = isOver ? 1 : (stored?.[kind.count] ?? 0) + 1;
    counters[kind.endsAt] = isOver ? seconds + kind.seconds : endsAt;
  }
  return counters;
}

/** The error for a full window, or for a credential without requests left; `undefined` if there are some. */
export function checkWindows(
  item: Counters,
  limits: RequestLimits,
  seconds: number,
): ServiceError | undefined {
  const { lifetimeMax = Number.POSITIVE_INFINITY, usageCount = 0 } = item;
  if (usageCount >= lifetimeMax) {
    return forbidden(`The key has made all of its ${lifetimeMax} requests. Create another key`);
  }
  for (const [, kind] of listWindowKinds(limits)) {
    const limit = getLimit(kind, limits, item);
    const endsAt = item[kind.endsAt] ?? 0;
    const left = endsAt - seconds;
    if (isCurrent(endsAt, kind, seconds) && (item[kind.count] ?? 0) >= limit)
      return rateLimited(kind.title, limit, left);
  }
  return;
}

/** All windows. One that has ended is reported as unused, starting now. */
export const readWindows = (item: Counters, limits: RequestLimits, seconds: number): Windows =>
  mapWindows(limits, (kind) => {
    const endsAt = item[kind.endsAt] ?? 0;
    const limit = getLimit(kind, limits, item);
    return isCurrent(endsAt, kind, seconds)
      ? createWindow(limit, item[kind.count] ?? 0, endsAt)
      : createWindow(limit, 0, seconds + kind.seconds);
  });

export const createExhaustedWindows = (seconds: number, limits: RequestLimits): Windows =>
  mapWindows(limits, (kind) =>
    createWindow(getLimit(kind, limits), getLimit(kind, limits), seconds + kind.seconds),
  );

const mapWindows = (limits: RequestLimits, toWindow: (kind: Kind) => RateLimit) =>
  Object.fromEntries(
    listWindowKinds(limits).map(([name, kind]) => [name, toWindow(kind)]),
  ) as unknown as Windows;

const createWindow = (limit: number, used: number, reset: number): RateLimit => ({
  limit,
  remaining: Math.max(0, limit - used),
  reset,
});
