import { rateLimited, type ServiceError } from '../../core/errors.ts';
import type { ApiKey } from './api-key.ts';

/** One window: requests allowed, requests left, and the Unix second of its reset. */
export interface RateLimit {
  limit: number;
  remaining: number;
  reset: number;
}
export type Windows = Record<'hourly' | 'daily', RateLimit>;

/** The stored counters, with the key's own limits if it has them. */
export type Counters = Pick<ApiKey, 'hourCount' | 'hourEndsAt' | 'dayCount' | 'dayEndsAt'> & Partial<ApiKey>;

const hour = 3_600;
export const daySeconds = 86_400;

/** The highest limits that a key can have. */
export const maximumLimits = { perHour: 1_000_000, perDay: 1_000_000 } as const;

export interface RequestLimits {
  perHour: number;
  perDay: number;
}

/** The limits of keys without limits of their own. */
export const defaultLimits = (): RequestLimits => ({
  perHour: Number(process.env.RATE_LIMIT_PER_HOUR ?? 1_000),
  perDay: Number(process.env.RATE_LIMIT_PER_DAY ?? 10_000),
});

/**
 * The rate limit of a response whose request was not counted.
 * @param isFree Whether the endpoint counts no requests. Otherwise the request failed before it was counted, and the
 * headers report no requests left.
 */
export function uncountedRateLimit(isFree: boolean): RateLimit {
  const { perHour } = defaultLimits();
  return windowOf(perHour, isFree ? 0 : perHour, 0);
}

/** The rate limit headers of every response. */
export const rateLimitHeadersOf = ({ limit, remaining, reset }: RateLimit) => ({
  'X-RateLimit-Limit': String(limit),
  'X-RateLimit-Remaining': String(remaining),
  'X-RateLimit-Reset': String(reset),
});

/** The window with fewer requests left. The headers report it. */
export const tighterWindow = ({ hourly, daily }: Windows): RateLimit =>
  daily.remaining < hourly.remaining ? daily : hourly;

/** The counters after one more request, which starts a new window in place of each that has ended. */
export function beginWindows(stored: Counters | undefined, seconds: number) {
  const hourOver = !stored || stored.hourEndsAt <= seconds;
  const dayOver = !stored || stored.dayEndsAt <= seconds;
  return {
    hourCount: hourOver ? 1 : stored.hourCount + 1,
    hourEndsAt: hourOver ? seconds + hour : stored.hourEndsAt,
    dayCount: dayOver ? 1 : stored.dayCount + 1,
    dayEndsAt: dayOver ? seconds + daySeconds : stored.dayEndsAt,
  };
}

/** The error for a full window; `undefined` if both windows have requests left. */
export function fullWindow(
  item: Counters,
  { perHour, perDay }: RequestLimits,
  seconds: number,
): ServiceError | undefined {
  const hourly = item.perHour ?? perHour;
  const daily = item.perDay ?? perDay;
  const hourLeft = item.hourEndsAt - seconds;
  const dayLeft = item.dayEndsAt - seconds;
  if (hourLeft > 0 && item.hourCount >= hourly) return rateLimited('Hourly', hourly, hourLeft);
  if (dayLeft > 0 && item.dayCount >= daily) return rateLimited('Daily', daily, dayLeft);
  return;
}

/** Both windows. A window that has ended is reported as unused, starting now. */
export const windowsOf = (item: Counters, { perHour, perDay }: RequestLimits, seconds: number): Windows => ({
  hourly:
    item.hourEndsAt > seconds
      ? windowOf(item.perHour ?? perHour, item.hourCount, item.hourEndsAt)
      : windowOf(item.perHour ?? perHour, 0, seconds + hour),
  daily:
    item.dayEndsAt > seconds
      ? windowOf(item.perDay ?? perDay, item.dayCount, item.dayEndsAt)
      : windowOf(item.perDay ?? perDay, 0, seconds + daySeconds),
});

const windowOf = (limit: number, used: number, reset: number): RateLimit => ({
  limit,
  remaining: Math.max(0, limit - used),
  reset,
});

/** The windows that the headers report for an invalid credential: no requests left. */
export const exhaustedWindows = (seconds: number, { perHour, perDay }: RequestLimits): Windows => ({
  hourly: windowOf(perHour, perHour, seconds + hour),
  daily: windowOf(perDay, perDay, seconds + daySeconds),
});
