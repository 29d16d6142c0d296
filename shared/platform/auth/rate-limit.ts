import type { ServiceError } from '../../core/errors/errors.ts';
import { unixSeconds } from '../../core/time/unix-seconds.ts';
import { isStorageFull } from '../aws/storage-full.ts';
import { ConditionFailed } from '../data/condition-failed.ts';
import type { AnyEntity } from '../data/entity.ts';
import { retryOnConflict } from '../data/retry-on-conflict.ts';
import type { Scope } from '../data/scope.ts';
import type { Changes } from '../data/writes.ts';
import type { Principal } from '../identity/principal.ts';
import { addressRateLimitEntity } from './api-key.ts';
import type { CountedCredential, RateLimitCounter } from './credential-kind.ts';
import { credentialKinds } from './credential-kinds.ts';
import {
  beginWindows,
  type Counters,
  currentWindows,
  daySeconds,
  defaultLimits,
  exhaustedWindows,
  fullWindow,
  latestEnd,
  type RequestLimits,
  type Windows,
  windowKinds,
} from './rate-limit-windows.ts';

/** Callers without a credential get a tenth of the default limits, because no account is responsible for them. */
const anonymousFactor = 0.1;
export const anonymousLimits = () => {
  const { perHour, perDay } = defaultLimits();
  return { perHour: Math.ceil(perHour * anonymousFactor), perDay: Math.ceil(perDay * anonymousFactor) };
};
const attemptsMax = 20;

/** `item` is absent if the credential is invalid; `full` is the error if a window is full. */
export async function countRequest(
  scope: Scope,
  principal: Principal,
): Promise<{ windows: Windows; item?: CountedCredential; full?: ServiceError | undefined }> {
  const counter = credentialKinds[principal.kind].rateLimitCounterOf(principal, defaultLimits());
  const seconds = unixSeconds(scope.now());
  // API Gateway caches the principal for a minute, in which a session may expire.
  const isExpired = principal.expiresAt !== undefined && principal.expiresAt <= seconds;
  const { item, full } = isExpired ? {} : await count(scope, counter);
  return item
    ? { windows: currentWindows(item, counter, seconds), item, full }
    : { windows: exhaustedWindows(seconds, counter) };
}

/** Counts one request without a credential. @param counterName The shared counter, such as the network. */
export async function countAnonymous(
  scope: Scope,
  counterName: string,
  limits: RequestLimits,
): Promise<{ windows: Windows; full?: ServiceError | undefined }> {
  const counter: RateLimitCounter = {
    entity: addressRateLimitEntity,
    key: { network: counterName },
    alive: undefined,
    isAlive: () => true,
    ...limits,
  };
  const seconds = unixSeconds(scope.now());
  const { item = beginWindows(undefined, limits, seconds), full } = await count(scope, counter);
  return { windows: currentWindows(item, counter, seconds), full };
}

async function count(
  { table, now }: Scope,
  counter: RateLimitCounter,
): Promise<{ item?: CountedCredential; full?: ServiceError }> {
  const at = now();
  const seconds = unixSeconds(at);
  const lastUsedAt = at.toISOString();
  const kinds = windowKinds(counter);
  const alive = counter.alive ? `${counter.alive.expression} AND ` : '';
  const [hasUses, use] = counter.countsUses ? [usesLeft, { usageCount: 1 }] : ['', {}];
  const values = { ...counter.alive?.values, ...(counter.alive && { now: lastUsedAt }) };

  const updateIf = (condition: string, changes: Changes<AnyEntity>, conditionValues: object) =>
    table.updateAndGet(
      counter.entity,
      table.writes.update(counter.entity, counter.key, changes, {
        expression: alive + condition,
        values: { ...values, ...conditionValues },
      }),
    ) as Promise<CountedCredential>;

  const attempt = async (): Promise<{ item?: CountedCredential; full?: ServiceError }> => {
    const counts = kinds.map(([, { count }]) => [count, 1] as const);
    const increment = { add: { ...Object.fromEntries(counts), ...use }, set: { lastUsedAt } };
    const limits = Object.fromEntries(kinds.map(([, { limit }]) => [limit, counter[limit]]));
    const open = openWindows(counter) + hasUses;
    const ends = Object.fromEntries(
      kinds.map(([, kind]) => [`latest_${kind.endsAt}`, latestEnd(kind, seconds)]),
    );
    const result = await updateIf(open, increment, { seconds, ...limits, ...ends }).catch(conditionFailed);
    if (!(result instanceof ConditionFailed)) return { item: result };
    const stored = result.item as CountedCredential | undefined;
    if (!counter.isAlive(stored, lastUsedAt)) return {};
    const full = stored && fullWindow(stored, counter, seconds);
    if (stored && full) return { item: stored, full };
    const counters = beginWindows(stored, counter, seconds);
    const set = {
      ...counters,
      lastUsedAt,
      ...(!counter.alive && { ttl: (counters.dayEndsAt ?? seconds) + daySeconds, ...counter.key }),
    };
    const [condition, conditionValues] = unchangedSince(stored, counter);
    return { item: await updateIf(condition + hasUses, { set, add: use }, conditionValues) };
  };
  // If another request starts the window at the same time, the retry counts in that window.
  /** Reads go on while the disk is full. A key with a number of uses is not used without counting. */
  const uncounted = async (error: unknown): Promise<{ item?: CountedCredential; full?: ServiceError }> => {
    if (!isStorageFull(error)) throw error;
    if (!counter.alive) return { item: beginWindows(undefined, counter, seconds) };
    const stored = (await table.get(counter.entity, counter.key as never).catch(() => {
      throw error;
    })) as CountedCredential | undefined;
    if (stored?.lifetimeMax !== undefined) throw error;
    if (!counter.isAlive(stored, lastUsedAt)) return {};
    const full = stored && fullWindow(stored, counter, seconds);
    return { item: { ...stored, ...beginWindows(stored, counter, seconds) }, ...(full && { full }) };
  };
  // If another request starts the window at the same time, the retry counts in that window.
  return retryOnConflict(attempt, { attempts: attemptsMax, conflictError }).catch(uncounted);
}

const conflictError = () => new Error('The rate-limit counter changed too often; send the request again');

/** Returns the failure of the condition; rethrows other errors. */
function conditionFailed(error: unknown): ConditionFailed {
  if (error instanceof ConditionFailed) return error;
  throw error;
}

const below = (count: string, limit: string) =>
  `(#${count} < #${limit} OR attribute_not_exists(#${limit}) AND #${count} < :${limit})`;

/** The condition that no window has ended and none is full. */
const openWindows = (limits: RequestLimits): string =>
  windowKinds(limits)
    .map(
      ([, { endsAt, count, limit }]) =>
        `#${endsAt} > :seconds AND #${endsAt} <= :latest_${endsAt} AND ${below(count, limit)}`,
    )
    .join(' AND ');

const usesLeft =
  ' AND (attribute_not_exists(#lifetimeMax) OR attribute_not_exists(#usageCount) OR #usageCount < #lifetimeMax)';

function unchangedSince(stored: Counters | undefined, limits: RequestLimits): [string, object] {
  if (!stored) return ['attribute_not_exists(PK)', {}];
  const ends = windowKinds(limits).map(([, { endsAt }]) => endsAt);
  const values = Object.fromEntries(ends.map((endsAt) => [`old_${endsAt}`, stored[endsAt]]));
  return [ends.map((endsAt) => `#${endsAt} = :old_${endsAt}`).join(' AND '), values];
}
