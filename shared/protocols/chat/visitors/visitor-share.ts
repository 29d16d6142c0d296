import { rateLimited } from '../../../core/errors/errors.ts';
import { unixSeconds } from '../../../core/time/unix-seconds.ts';
import type { ClientToken } from '../../../domain/client-tokens/client-token.ts';
import { type RateLimit, tighterWindow } from '../../../platform/auth/rate-limit-windows.ts';
import type { RequestAdmission } from '../../../platform/auth/request-gate.ts';

/** What every network of visitors may send, so that tokens with low limits work for a single visitor. */
const least = { perMinute: 10, perHour: 50 };

/** How much of the limits of a token the visitors of one network may use: half, so that no one uses them up for all. */
const visitorShare = ({ rateLimitPerMinute, rateLimitPerHour }: Limits) => ({
  perMinute: Math.max(least.perMinute, Math.ceil(rateLimitPerMinute / 2)),
  perHour: Math.max(least.perHour, Math.ceil(rateLimitPerHour / 2)),
});

type Limits = Pick<ClientToken, 'rateLimitPerMinute' | 'rateLimitPerHour'>;

/** Refuses a request that was counted beyond the share of its network. */
export function ofShare(counted: RequestAdmission, token: Limits, now: Date): RequestAdmission {
  const { perMinute, perHour } = visitorShare(token);
  const { minutely, hourly, daily } = counted.windows;
  const windows = {
    daily,
    ...(minutely && { minutely: limitedTo(perMinute, minutely) }),
    ...(hourly && { hourly: limitedTo(perHour, hourly) }),
  };
  const refusal =
    counted.refusal ??
    tooMany('Minutely', minutely, perMinute, now) ??
    tooMany('Hourly', hourly, perHour, now);
  return { ...counted, windows, rateLimit: tighterWindow(windows), refusal };
}

const usedOf = ({ limit, remaining }: RateLimit) => limit - remaining;

const limitedTo = (limit: number, window: RateLimit): RateLimit => ({
  ...window,
  limit,
  remaining: Math.max(0, limit - usedOf(window)),
});

const tooMany = (title: 'Minutely' | 'Hourly', window: RateLimit | undefined, limit: number, now: Date) =>
  window && usedOf(window) > limit
    ? rateLimited(title, limit, Math.max(1, window.reset - unixSeconds(now)))
    : undefined;
