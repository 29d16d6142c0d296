import type { ServiceError } from '../../core/errors.ts';
import { unixSeconds } from '../../core/unix-seconds.ts';
import { ConditionFailed } from '../data/condition-failed.ts';
import type { AnyEntity } from '../data/entity.ts';
import { retryOnConflict } from '../data/retry-on-conflict.ts';
import type { Scope } from '../data/scope.ts';
import type { Changes } from '../data/writes.ts';
import type { Principal } from '../identity/principal.ts';
import { type ApiKey, addressMeterEntity } from './api-key.ts';
import type { RequestMeter } from './credential-kind.ts';
import { credentialKinds } from './credential-kinds.ts';
import {
  beginWindows,
  type Counters,
  day,
  defaultLimits,
  fullWindow,
  nothingLeft,
  type RequestLimits,
  type Windows,
  windowsOf,
} from './rate-limit-windows.ts';

/** Nobody stands for a caller without a credential. */
const anonymousFactor = 0.1;
export const anonymousLimits = (): RequestLimits => {
  const { perHour, perDay } = defaultLimits();
  return { perHour: Math.ceil(perHour * anonymousFactor), perDay: Math.ceil(perDay * anonymousFactor) };
};
const attempts = 20;

/**
 * Counts one request of a credential. Without an `item` the credential is not valid (any more); `full` says which
 * window is.
 */
export async function countRequest(
  scope: Scope,
  principal: Principal,
): Promise<{ windows: Windows; item?: Partial<ApiKey>; full?: ServiceError | undefined }> {
  const meter = credentialKinds[principal.kind].meterOf(principal, defaultLimits());
  const seconds = unixSeconds(scope.now());
  // API Gateway keeps the authorizer's answer for a minute, in which a session may end.
  const isOver = principal.expiresAt !== undefined && principal.expiresAt <= seconds;
  const { item, full } = isOver ? {} : await count(scope, meter);
  return item
    ? { windows: windowsOf(item, meter, seconds), item, full }
    : { windows: nothingLeft(seconds, meter) };
}

/** Counts one request without a credential. @param counted What all such requests of one limit have in common. */
export async function countAnonymous(
  scope: Scope,
  counted: string,
  limits: RequestLimits,
): Promise<{ windows: Windows; full?: ServiceError | undefined }> {
  const meter: RequestMeter = {
    entity: addressMeterEntity,
    key: { network: counted },
    alive: undefined,
    isAlive: () => true,
    ...limits,
  };
  const seconds = unixSeconds(scope.now());
  const { item = beginWindows(undefined, seconds), full } = await count(scope, meter);
  return { windows: windowsOf(item, meter, seconds), full };
}

async function count(
  { table, now }: Scope,
  meter: RequestMeter,
): Promise<{ item?: Counters; full?: ServiceError }> {
  const at = now();
  const seconds = unixSeconds(at);
  const lastUsedAt = at.toISOString();
  const alive = meter.alive ? `${meter.alive.expression} AND ` : '';
  const values = { ...meter.alive?.values, ...(meter.alive && { now: lastUsedAt }) };

  const within = (changes: Changes<AnyEntity>, condition: string, more: object) =>
    table.updateAndGet(
      meter.entity,
      table.writes.update(meter.entity, meter.key, changes, {
        expression: alive + condition,
        values: { ...values, ...more },
      }),
    ) as Promise<Counters>;

  const attempt = async (): Promise<{ item?: Counters; full?: ServiceError }> => {
    const counted = { add: { hourCount: 1, dayCount: 1 }, set: { lastUsedAt } };
    const limits = { seconds, perHour: meter.perHour, perDay: meter.perDay };
    const refused = await within(counted, openWindows, limits).catch(asRefused);
    if (!(refused instanceof ConditionFailed)) return { item: refused };
    const stored = refused.item as Counters | undefined;
    if (!meter.isAlive(stored, lastUsedAt)) return {};
    const full = stored && fullWindow(stored, meter, seconds);
    if (stored && full) return { item: stored, full };
    const begin = beginWindows(stored, seconds);
    const set = {
      ...begin,
      lastUsedAt,
      ...(!meter.alive && { ttl: begin.dayEndsAt + day, ...meter.key }),
    };
    return { item: await within({ set }, ...unchangedSince(stored)) };
  };
  // Another request may begin the window at the same moment: then it is counted in that one.
  return retryOnConflict(attempt, { attempts, conflictError });
}

const conflictError = () => new Error('The meter met too many other writers');

function asRefused(error: unknown): ConditionFailed {
  if (error instanceof ConditionFailed) return error;
  throw error;
}

const below = (counter: string, limit: string) =>
  `(#${counter} < #${limit} OR attribute_not_exists(#${limit}) AND #${counter} < :${limit})`;
const openWindows = `#hourEndsAt > :seconds AND #dayEndsAt > :seconds AND ${below('hourCount', 'perHour')} AND ${below('dayCount', 'perDay')}`;

const unchangedSince = (stored: Counters | undefined): [string, object] =>
  stored
    ? [
        '#hourEndsAt = :oldHour AND #dayEndsAt = :oldDay',
        { oldHour: stored.hourEndsAt, oldDay: stored.dayEndsAt },
      ]
    : ['attribute_not_exists(PK)', {}];
