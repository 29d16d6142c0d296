import type { ApiError } from '../../core/errors.ts';
import { ConditionFailed } from '../data/condition-failed.ts';
import type { AnyEntity } from '../data/entity.ts';
import type { Scope } from '../data/scope.ts';
import type { Condition } from '../data/writes.ts';
import type { Principal } from '../identity/principal.ts';
import { networkOf } from './addresses.ts';
import { type ApiKey, addressMeterEntity, apiKeyEntity, sessionMeterEntity } from './api-key.ts';
import {
  beginWindows,
  type Counters,
  day,
  defaultLimits,
  fullWindow,
  nothingLeft,
  type Windows,
  windowsOf,
} from './rate-limit-windows.ts';
import { intakeEntity } from './setup-link.ts';

/** Sessions belong to people at a screen, who open many requests at once. */
const sessionFactor = 10;
/** Nobody stands for a caller without a credential. */
const anonymousFactor = 0.1;
const attemptsMax = 20;

/**
 * Counts one request of a credential. Without an `item` the credential is not valid (any more); `full` says which
 * window is.
 */
export async function countRequest(
  scope: Scope,
  principal: Principal,
): Promise<{ windows: Windows; item?: Partial<ApiKey>; full?: ApiError | undefined }> {
  const subject = subjectOf(principal);
  const seconds = secondsOf(scope);
  // API Gateway keeps the authorizer's answer for a minute, in which a session may end.
  const isOver = principal.expiresAt !== undefined && principal.expiresAt <= seconds;
  const { item, full } = isOver ? {} : await count(scope, subject);
  return item
    ? { windows: windowsOf(item, subject, seconds), item, full }
    : { windows: nothingLeft(seconds, subject) };
}

/** Counts one request of a caller who sent no credential. */
export async function countAddress(
  scope: Scope,
  sourceIp: string | null,
): Promise<{ windows: Windows; full?: ApiError | undefined }> {
  const { perHour, perDay } = defaultLimits();
  const subject: Subject = {
    entity: addressMeterEntity,
    key: { network: networkOf(sourceIp) },
    alive: undefined,
    perHour: Math.ceil(perHour * anonymousFactor),
    perDay: Math.ceil(perDay * anonymousFactor),
    isAlive: () => true,
  };
  const seconds = secondsOf(scope);
  const { item = beginWindows(undefined, seconds), full } = await count(scope, subject);
  return { windows: windowsOf(item, subject, seconds), full };
}

const secondsOf = ({ now }: Scope) => Math.floor(now().getTime() / 1_000);

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
  if (principal.kind === 'intake') {
    return {
      entity: intakeEntity,
      key: { hash: principal.hash },
      alive: { expression: '#expiresAt > :now' },
      perHour,
      perDay,
      isAlive: (item, now) => Boolean(item?.expiresAt && item.expiresAt > now),
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
  `(#${counter} < #${limit} OR attribute_not_exists(#${limit}) AND #${counter} < :${limit})`;
const openWindows = `#hourEndsAt > :seconds AND #dayEndsAt > :seconds AND ${below('hourCount', 'perHour')} AND ${below('dayCount', 'perDay')}`;

const unchangedSince = (stored: Counters | undefined): [string, object] =>
  stored
    ? [
        '#hourEndsAt = :oldHour AND #dayEndsAt = :oldDay',
        { oldHour: stored.hourEndsAt, oldDay: stored.dayEndsAt },
      ]
    : ['attribute_not_exists(PK)', {}];
