import { ConditionFailed } from '../data/condition-failed.ts';
import type { AnyEntity } from '../data/entity.ts';
import type { Condition } from '../data/writes.ts';
import { type ApiError, rateLimited } from '../http/errors.ts';
import type { Scope } from '../runtime.ts';
import { type ApiKey, apiKeyEntity, sessionMeterEntity } from './api-key.ts';
import type { Principal } from './principal.ts';

/** The window that is nearest to its end: requests allowed, requests left, Unix second at which it begins anew. */
export interface RateLimit {
  limit: number;
  remaining: number;
  reset: number;
}

type Counters = Pick<ApiKey, 'hourCount' | 'hourEndsAt' | 'dayCount' | 'dayEndsAt'> & Partial<ApiKey>;

const hour = 3_600;
const day = 86_400;
/** Sessions belong to people at a screen, who open many requests at once. */
const sessionFactor = 10;
const attemptsMax = 20;

/** The highest limits that a key may be given. */
export const maximumLimits = { perHour: 1_000_000, perDay: 1_000_000 } as const;

export const defaultLimits = () => ({
  perHour: Number(process.env.RATE_LIMIT_PER_HOUR ?? 1_000),
  perDay: Number(process.env.RATE_LIMIT_PER_DAY ?? 10_000),
});

/**
 * Counts one request of a credential. Without an `item` the credential is not valid (any more); `full` says which
 * window is.
 */
export async function countRequest(
  scope: Scope,
  principal: Principal,
): Promise<{ rateLimit: RateLimit; item?: Partial<ApiKey>; full?: ApiError | undefined }> {
  const subject = subjectOf(principal);
  const { item, full } = await count(scope, subject);
  return item
    ? { rateLimit: rateLimitOf(item, subject), item, full }
    : { rateLimit: nothingLeft(scope, subject) };
}

interface Subject {
  entity: AnyEntity;
  key: object;
  /** What must hold of a key beside its counters. Sessions are vouched for by their token alone. */
  alive: Condition | undefined;
  perHour: number;
  perDay: number;
  isAlive: (item: Counters | undefined, now: string) => boolean;
}

function subjectOf(principal: Principal): Subject {
  const { perHour, perDay } = defaultLimits();
  if (principal.kind === 'session') {
    return {
      entity: sessionMeterEntity,
      key: { userId: principal.userId },
      alive: undefined,
      perHour: perHour * sessionFactor,
      perDay: perDay * sessionFactor,
      isAlive: () => true,
    };
  }
  return {
    entity: apiKeyEntity,
    key: { id: principal.keyId },
    alive: {
      expression:
        '#hash = :hash AND #isActive = :true AND (attribute_type(#expiresAt, :null) OR #expiresAt > :now)',
      values: { hash: principal.hash, true: true, null: 'NULL' },
    },
    perHour,
    perDay,
    isAlive: (item, now) =>
      item?.hash === principal.hash && item.isActive === true && !(item.expiresAt && item.expiresAt <= now),
  };
}

async function count({ table, now }: Scope, subject: Subject): Promise<{ item?: Counters; full?: ApiError }> {
  const at = now();
  const seconds = Math.floor(at.getTime() / 1000);
  const lastUsedAt = at.toISOString();
  const alive = subject.alive ? `${subject.alive.expression} AND ` : '';
  const values = { ...subject.alive?.values, ...(subject.alive && { now: lastUsedAt }) };

  const within = (changes: object, condition: string, more: object) =>
    table.updateAndGet(
      subject.entity,
      table.writes.update(subject.entity, subject.key, changes, {
        expression: alive + condition,
        values: { ...values, ...more },
      }),
    ) as Promise<Counters>;

  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    let stored: Counters | undefined;
    try {
      return {
        item: await within({ add: { hourCount: 1, dayCount: 1 }, set: { lastUsedAt } }, openWindows, {
          seconds,
          perHour: subject.perHour,
          perDay: subject.perDay,
        }),
      };
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      stored = error.item as Counters | undefined;
    }
    if (!subject.isAlive(stored, lastUsedAt)) return {};
    const full = stored && fullWindow(stored, subject, seconds);
    if (stored && full) return { item: stored, full };
    try {
      const begin = beginWindows(stored, seconds);
      const set = {
        ...begin,
        lastUsedAt,
        ...(!subject.alive && { ttl: begin.dayEndsAt + day, ...subject.key }),
      };
      return { item: await within({ set }, ...unchangedSince(stored)) };
    } catch (error) {
      // Another request began the window at the same moment: count in that one.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
  throw new Error('The meter met too many other writers');
}

const below = (counter: string, limit: string) =>
  `(attribute_exists(#${limit}) AND #${counter} < #${limit} OR attribute_not_exists(#${limit}) AND #${counter} < :${limit})`;
const openWindows = `#hourEndsAt > :seconds AND #dayEndsAt > :seconds AND ${below('hourCount', 'perHour')} AND ${below('dayCount', 'perDay')}`;

const unchangedSince = (stored: Counters | undefined): [string, object] =>
  stored
    ? [
        '#hourEndsAt = :oldHour AND #dayEndsAt = :oldDay',
        { oldHour: stored.hourEndsAt, oldDay: stored.dayEndsAt },
      ]
    : ['attribute_not_exists(PK)', {}];

function beginWindows(stored: Counters | undefined, seconds: number) {
  const hourOver = !stored || stored.hourEndsAt <= seconds;
  const dayOver = !stored || stored.dayEndsAt <= seconds;
  return {
    hourCount: hourOver ? 1 : stored.hourCount + 1,
    hourEndsAt: hourOver ? seconds + hour : stored.hourEndsAt,
    dayCount: dayOver ? 1 : stored.dayCount + 1,
    dayEndsAt: dayOver ? seconds + day : stored.dayEndsAt,
  };
}

function fullWindow(item: Counters, { perHour, perDay }: Subject, seconds: number): ApiError | undefined {
  const hourly = item.perHour ?? perHour;
  const daily = item.perDay ?? perDay;
  if (item.hourEndsAt > seconds && item.hourCount >= hourly) return rateLimited('Hourly', hourly);
  if (item.dayEndsAt > seconds && item.dayCount >= daily) return rateLimited('Daily', daily);
  return;
}

function rateLimitOf(item: Counters, { perHour, perDay }: Subject): RateLimit {
  const hourly = { limit: item.perHour ?? perHour, used: item.hourCount, reset: item.hourEndsAt };
  const daily = { limit: item.perDay ?? perDay, used: item.dayCount, reset: item.dayEndsAt };
  const tighter = daily.limit - daily.used < hourly.limit - hourly.used ? daily : hourly;
  return { limit: tighter.limit, remaining: Math.max(0, tighter.limit - tighter.used), reset: tighter.reset };
}

const nothingLeft = ({ now }: Scope, { perHour }: Subject): RateLimit => ({
  limit: perHour,
  remaining: 0,
  reset: Math.floor(now().getTime() / 1000) + hour,
});
