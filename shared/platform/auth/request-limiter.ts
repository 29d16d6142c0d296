/**
 * The limiter of requests: decides whether a credential, or an address without one, may make one more request, and counts it.
 *
 * One conditional update of the credential's own item checks that the credential is alive, that no window is full, and adds
 * one; so the decision is exact under concurrency and costs one write. Only if the condition fails does it look at the stored
 * item: a dead credential is a 401, a full window a 429, and a window that has ended is replaced by a new one, on the
 * condition that nobody else did. After counting come the allowed addresses, then the kind of the credential
 * (`credential-kind.ts`), then the permissions.
 *
 * Called through `http/lambda/admission.ts` for each request, and by `optional-credential.ts` and `public-scope.ts`. The windows
 * themselves are in `rate-limit-windows.ts`. A crash leaves at most one request counted that was not answered. While the disk
 * of the embedded stack is full, requests pass without being counted, except keys with a number of uses.
 */

import { createBoundedMap } from '../../core/cache.ts';
import {
  forbidden,
  missingPermission,
  type ServiceError,
  unauthenticated,
} from '../../core/errors/errors.ts';
import { unixSeconds } from '../../core/time.ts';
import { isStorageFull } from '../aws/storage-full.ts';
import { ConditionFailed } from '../data/condition-failed.ts';
import type { AnyEntity } from '../data/entity.ts';
import { retryOnConflict } from '../data/retry-on-conflict.ts';
import type { Scope } from '../data/scope.ts';
import type { Changes } from '../data/writes.ts';
import { grants } from '../identity/permissions.ts';
import type { Principal } from '../identity/principal.ts';
import { isInRanges, toNetwork } from './addresses.ts';
import { addressRateLimitEntity } from './api-key.ts';
import {
  type AccessRules,
  type CountedCredential,
  credentialKinds,
  type RateLimitCounter,
} from './credential-kind.ts';
import {
  beginWindows,
  type Counters,
  checkWindows,
  createExhaustedWindows,
  daySeconds,
  getLatestEnd,
  listWindowKinds,
  pickTightestWindow,
  type RateLimit,
  type RequestLimits,
  readDefaultLimits,
  readWindows,
  type Windows,
} from './rate-limit-windows.ts';

export interface RequestAdmission {
  rateLimit: RateLimit;
  windows: Windows;
  refusal: ServiceError | undefined;
  /** The current permissions of the credential. */
  permissions: string[];
}

/** The credentials that this process refused within the last minute. */
const refused = createBoundedMap<true>({ entriesMax: 10_000, ttlMs: 60_000 });
const nameCredential = ({ kind, tenant, userId, hash }: Principal) => hash ?? `${kind} ${tenant} ${userId}`;

/** Whether the next request of a credential may well be refused too, so that nothing should begin before the gate decides. */
export const wasRefused = (principal: Principal): boolean => refused.has(nameCredential(principal));

/** One conditional update of the credential's item counts and decides, so it is exact under concurrency (D100). */
export async function admit(
  scope: Scope,
  principal: Principal,
  endpoint: AccessRules,
): Promise<RequestAdmission> {
  const { windows, item, full } = await countRequest(scope, principal);
  const refusal = item ? (full ?? checkAccess(principal, item, endpoint)) : unauthenticated();
  if (refusal) refused.set(nameCredential(principal), true);
  return {
    rateLimit: pickTightestWindow(windows),
    windows,
    refusal,
    permissions: readPermissions(principal, item ?? {}),
  };
}

export const admitAddress = (scope: Scope, sourceIp: string | null) =>
  admitAnonymous(scope, toNetwork(sourceIp), readAnonymousLimits());

/** As many as a key has: clients that many people share an address of begin with a request without a credential. */
export const countChallenge: typeof admitAddress = (scope, sourceIp) =>
  admitAnonymous(scope, `Challenge ${toNetwork(sourceIp)}`, readDefaultLimits());

/** Counts one request without a credential under a shared name. */
export async function admitAnonymous(
  scope: Scope,
  counted: string,
  limits: RequestLimits,
): Promise<RequestAdmission> {
  const { windows, full } = await countAnonymous(scope, counted, limits);
  return { rateLimit: pickTightestWindow(windows), windows, refusal: full, permissions: [] };
}

const readPermissions = (principal: Principal, item: CountedCredential) =>
  credentialKinds[principal.kind].listPermissions(principal, item);

function checkAccess(
  principal: Principal,
  item: CountedCredential,
  guard: AccessRules,
): ServiceError | undefined {
  const { allowedIps = [] } = item;
  if (allowedIps.length > 0 && !isInRanges(allowedIps, principal.sourceIp)) {
    return forbidden('IP address not allowed');
  }
  const refusal = credentialKinds[principal.kind].findRefusal(principal, guard);
  if (refusal) return refusal === 'accepted' ? undefined : refusal;
  const { permission } = guard;
  if (grants(readPermissions(principal, item), permission)) return undefined;
  return missingPermission(permission);
}

/** Callers without a credential get a tenth of the default limits, because no account is responsible for them. */
const anonymousFactor = 0.1;
const readAnonymousLimits = () => {
  const { perHour, perDay } = readDefaultLimits();
  return { perHour: Math.ceil(perHour * anonymousFactor), perDay: Math.ceil(perDay * anonymousFactor) };
};
const attemptsMax = 20;

/** `item` is absent if the credential is invalid; `full` is the error if a window is full. */
async function countRequest(
  scope: Scope,
  principal: Principal,
): Promise<{ windows: Windows; item?: CountedCredential; full?: ServiceError | undefined }> {
  const counter = credentialKinds[principal.kind].getRateLimitCounter(principal, readDefaultLimits());
  const seconds = unixSeconds(scope.now());
  // API Gateway caches the principal for a minute, in which a session may expire.
  const isExpired = principal.expiresAt !== undefined && principal.expiresAt <= seconds;
  const { item, full } = isExpired ? {} : await count(scope, counter);
  return item
    ? { windows: readWindows(item, counter, seconds), item, full }
    : { windows: createExhaustedWindows(seconds, counter) };
}

/** Counts one request without a credential. @param counterName The shared counter, such as the network. */
async function countAnonymous(
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
  return { windows: readWindows(item, counter, seconds), full };
}

async function count(
  { table, now }: Scope,
  counter: RateLimitCounter,
): Promise<{ item?: CountedCredential; full?: ServiceError }> {
  const at = now();
  const seconds = unixSeconds(at);
  const lastUsedAt = at.toISOString();
  const kinds = listWindowKinds(counter);
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
    const open = toOpenCondition(counter) + hasUses;
    const ends = Object.fromEntries(
      kinds.map(([, kind]) => [`latest_${kind.endsAt}`, getLatestEnd(kind, seconds)]),
    );
    const result = await updateIf(open, increment, { seconds, ...limits, ...ends }).catch(
      catchConditionFailed,
    );
    if (!(result instanceof ConditionFailed)) return { item: result };
    const stored = result.item as CountedCredential | undefined;
    if (!counter.isAlive(stored, lastUsedAt)) return {};
    const full = stored && checkWindows(stored, counter, seconds);
    if (stored && full) return { item: stored, full };
    const counters = beginWindows(stored, counter, seconds);
    const set = {
      ...counters,
      lastUsedAt,
      ...(!counter.alive && { ttl: (counters.dayEndsAt ?? seconds) + daySeconds, ...counter.key }),
    };
    const [condition, conditionValues] = toUnchangedCondition(stored, counter);
    return { item: await updateIf(condition + hasUses, { set, add: use }, conditionValues) };
  };
  /** Reads go on while the disk is full. A key with a number of uses is not used without counting (D179). */
  const admitUncounted = async (
    error: unknown,
  ): Promise<{ item?: CountedCredential; full?: ServiceError }> => {
    if (!isStorageFull(error)) throw error;
    if (!counter.alive) return { item: beginWindows(undefined, counter, seconds) };
    const stored = (await table.get(counter.entity, counter.key as never).catch(() => {
      throw error;
    })) as CountedCredential | undefined;
    if (stored?.lifetimeMax !== undefined) throw error;
    if (!counter.isAlive(stored, lastUsedAt)) return {};
    const full = stored && checkWindows(stored, counter, seconds);
    return { item: { ...stored, ...beginWindows(stored, counter, seconds) }, ...(full && { full }) };
  };
  // If another request starts the window at the same time, the retry counts in that window.
  return retryOnConflict(attempt, { attempts: attemptsMax, conflictError }).catch(admitUncounted);
}

const conflictError = () => new Error('The rate-limit counter changed too often; send the request again');

/** Returns the failure of the condition; rethrows other errors. */
function catchConditionFailed(error: unknown): ConditionFailed {
  if (error instanceof ConditionFailed) return error;
  throw error;
}

const toLimitCondition = (count: string, limit: string) =>
  `(#${count} < #${limit} OR attribute_not_exists(#${limit}) AND #${count} < :${limit})`;

/** The condition that no window has ended and none is full. */
const toOpenCondition = (limits: RequestLimits): string =>
  listWindowKinds(limits)
    .map(
      ([, { endsAt, count, limit }]) =>
        `#${endsAt} > :seconds AND #${endsAt} <= :latest_${endsAt} AND ${toLimitCondition(count, limit)}`,
    )
    .join(' AND ');

const usesLeft =
  ' AND (attribute_not_exists(#lifetimeMax) OR attribute_not_exists(#usageCount) OR #usageCount < #lifetimeMax)';

function toUnchangedCondition(stored: Counters | undefined, limits: RequestLimits): [string, object] {
  if (!stored) return ['attribute_not_exists(PK)', {}];
  const ends = listWindowKinds(limits).map(([, { endsAt }]) => endsAt);
  const values = Object.fromEntries(ends.map((endsAt) => [`old_${endsAt}`, stored[endsAt]]));
  return [ends.map((endsAt) => `#${endsAt} = :old_${endsAt}`).join(' AND '), values];
}
