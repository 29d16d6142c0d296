/**
 * Limits how much of something each tenant has at a time, over all processes: a pool has so many numbered places per tenant,
 * and each is a lease in an item of its own.
 *
 * A process acquires any free place by a conditional write, first the one that it released last, renews it while it works, and
 * releases it; `claimLastPlace` acquires that one in a transaction of the caller. A place whose process
 * crashed is free when its lease ends, after 90 seconds, or at once where this process knows that it is alone. Without a free
 * place the caller decides: requests are refused (`http/open-requests.ts`), messages come back after `placeDelaySeconds`.
 */

import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { createBoundedMap } from '../core/cache.ts';
import { startRenewal } from '../core/concurrency/renewal.ts';
import { requireEnv } from '../core/environment.ts';
import { log } from '../core/log.ts';
import { unixSeconds } from '../core/time.ts';
import { onConditionFailed } from './data/condition-failed.ts';
import { defineEntity } from './data/entity.ts';
import { tenantPartition } from './data/keys.ts';
import { leaseOn } from './data/lease.ts';
import type { PlaceWrite, Scope } from './data/scope.ts';
import type { Write } from './data/writes.ts';

/** What all tenants share, of which each has as many places at most as the environment variable says. */
export interface Pool {
  name: string;
  variable: string;
}

/** How long the place of a process that crashed stays taken (D156). */
const leaseMs = 90_000;
const keptSeconds = 86_400;

interface PlaceKey {
  pool: string;
  place: number;
}

const toPoolPartition = (pool: string) => tenantPartition(`PLACES#${pool}`);

/** A place that a process of the tenant has. One that is free has no item, or one whose time is over. */
const tenantPlaceEntity = defineEntity({
  type: 'tenantPlace',
  schema: z.object({
    holder: z.string(),
    /** Unix ms, like `until`. */
    takenAt: z.int(),
    until: z.int(),
    ttl: z.int(),
  }),
  key: ({ pool, place }: PlaceKey) => ({ PK: toPoolPartition(pool), SK: String(place) }),
});

const lease = /* @__PURE__ */ leaseOn(tenantPlaceEntity, {
  holder: 'holder',
  until: 'until',
  since: 'takenAt',
  format: 'ms',
  leaseMs,
});

export interface TenantPlace {
  /** Never fails: a place that cannot be given back is free a moment later. */
  release: () => Promise<void>;
  /**
   * Releases it in a transaction, which must not fail for it. Undefined if its lease may soon be over, or if it is released.
   */
  releaseIn: () => PlaceWrite | undefined;
}

/** Until released, or the process crashes. Costs a write, and one to release. @returns undefined if none is free. */
export async function acquirePlace(
  scope: Scope,
  { name: pool, variable }: Pool,
): Promise<TenantPlace | undefined> {
  const placesMax = Number(requireEnv(variable));
  const holder = randomUUID();
  const first = takeLastPlace(scope, pool, placesMax) ?? randomInt(placesMax);
  if (await acquire(scope, { pool, place: first }, holder))
    return keepPlace(scope, { pool, place: first }, holder);
  const taken = await listTakenPlaces(scope, pool);
  // Each process begins elsewhere, so that few meet.
  for (let offset = 1; offset < placesMax; offset++) {
    const key = { pool, place: (first + offset) % placesMax };
    if (!taken.has(String(key.place)) && (await acquire(scope, key, holder)))
      return keepPlace(scope, key, holder);
  }
  return undefined;
}

/**
 * The place that this process released last, to acquire with the transaction that begins the work. Nobody else begins with it,
 * unless it was free. @returns undefined if there is none
 */
export function claimLastPlace(
  scope: Scope,
  { name: pool, variable }: Pool,
): { write: Write; hold: () => TenantPlace } | undefined {
  const place = takeLastPlace(scope, pool, Number(requireEnv(variable)));
  if (place === undefined) return undefined;
  const holder = randomUUID();
  const key = { pool, place };
  return { write: acquireWrite(scope, key, holder), hold: () => keepPlace(scope, key, holder) };
}

/** By tenant and pool. Requests at the same time get different ones. */
const lastPlaces = /* @__PURE__ */ createBoundedMap<number>({ entriesMax: 1_000 });
const nameLastPlace = ({ table }: Pick<Scope, 'table'>, pool: string) => `${table.tenant} ${pool}`;

function takeLastPlace(scope: Scope, pool: string, placesMax: number): number | undefined {
  const name = nameLastPlace(scope, pool);
  const place = lastPlaces.get(name);
  lastPlaces.delete(name);
  return place !== undefined && place < placesMax ? place : undefined;
}

/** 2 seconds, 4 and so on up to 20; after ten minutes a minute. @param waits How often it has waited before. */
export const placeDelaySeconds = (waits: number) => Math.min(waits < 33 ? 20 : 60, 2 ** (waits + 1));

function acquireWrite({ table, now }: Scope, key: PlaceKey, holder: string): Write {
  const { set, condition } = lease.acquire(now(), holder);
  const ttl = unixSeconds(now()) + keptSeconds;
  return table.writes.update(tenantPlaceEntity, key, { set: { ...set, ttl } }, condition);
}

const acquire = (scope: Scope, key: PlaceKey, holder: string): Promise<boolean> =>
  scope.table.commit([acquireWrite(scope, key, holder)]).then(() => true, onConditionFailed(false));

async function listTakenPlaces({ table, now }: Scope, pool: string): Promise<Set<string>> {
  const items = await table.queryAll({ partition: toPoolPartition(pool) });
  return new Set(items.filter((item) => lease.isHeld(item, now())).map(({ SK }) => SK));
}

function keepPlace({ table, now }: Scope, key: PlaceKey, holder: string): TenantPlace {
  const failure = 'A place of a tenant could not be kept';
  let renewedAt = now().getTime();
  let isReleased = false;
  const renew = async () => {
    const { condition, ...changes } = lease.extend(now(), holder);
    await table.commit([table.writes.update(tenantPlaceEntity, key, changes, condition)]);
    renewedAt = now().getTime();
  };
  const { stop } = startRenewal(renew, { everyMs: leaseMs / 3, failure, about: { ...key } });
  // Not deleted, which few endpoints may.
  const freed = { set: { until: 0 } };
  const noteLast = () => lastPlaces.set(nameLastPlace({ table }, key.pool), key.place);
  return {
    async release() {
      stop();
      if (isReleased) return;
      await table
        .commit([table.writes.update(tenantPlaceEntity, key, freed, lease.isHolder(holder))])
        .catch((error) => log.warn(failure, { error, ...key }));
      noteLast();
    },
    releaseIn() {
      if (isReleased || Math.abs(now().getTime() - renewedAt) > leaseMs / 2) return undefined;
      const done = () => {
        isReleased = true;
        stop();
        noteLast();
      };
      // Without a condition: nobody else can have it yet, and the end of a run does not depend on a place.
      return { write: table.writes.update(tenantPlaceEntity, key, freed), done };
    },
  };
}
