/**
 * Limits how much of something each tenant has at a time, over all processes: a pool has so many numbered places per tenant,
 * and each is a lease in an item of its own.
 *
 * A process acquires any free place by a conditional write, renews it while it works, and releases it. A place whose process
 * crashed is free when its lease ends, after 90 seconds, or at once where this process knows that it is alone. Without a free
 * place the caller decides: requests are refused (`http/open-requests.ts`), messages come back after `placeDelaySeconds`.
 */

import { randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { startRenewal } from '../core/concurrency/renewal.ts';
import { requireEnv } from '../core/environment.ts';
import { log } from '../core/log.ts';
import { unixSeconds } from '../core/time.ts';
import { onConditionFailed } from './data/condition-failed.ts';
import { defineEntity } from './data/entity.ts';
import { tenantPartition } from './data/keys.ts';
import { leaseOn } from './data/lease.ts';
import type { PlaceRelease, Scope } from './data/scope.ts';

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
  releaseIn: () => PlaceRelease | undefined;
}

/** Until released, or the process crashes. Costs a write, and one to release. @returns undefined if none is free. */
export async function acquirePlace(
  scope: Scope,
  { name: pool, variable }: Pool,
): Promise<TenantPlace | undefined> {
  const placesMax = Number(requireEnv(variable));
  const holder = randomUUID();
  const first = randomInt(placesMax);
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

/** 2 seconds, 4 and so on up to 20; after ten minutes a minute. @param waits How often it has waited before. */
export const placeDelaySeconds = (waits: number) => Math.min(waits < 33 ? 20 : 60, 2 ** (waits + 1));

async function acquire({ table, now }: Scope, key: PlaceKey, holder: string): Promise<boolean> {
  const { set, condition } = lease.acquire(now(), holder);
  const ttl = unixSeconds(now()) + keptSeconds;
  const write = table.writes.update(tenantPlaceEntity, key, { set: { ...set, ttl } }, condition);
  return table.commit([write]).then(() => true, onConditionFailed(false));
}

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
  return {
    async release() {
      stop();
      if (isReleased) return;
      await table
        .commit([table.writes.update(tenantPlaceEntity, key, freed, lease.isHolder(holder))])
        .catch((error) => log.warn(failure, { error, ...key }));
    },
    releaseIn() {
      if (isReleased || Math.abs(now().getTime() - renewedAt) > leaseMs / 2) return undefined;
      const done = () => {
        isReleased = true;
        stop();
      };
      // Without a condition: nobody else can have it yet, and the end of a run does not depend on a place.
      return { write: table.writes.update(tenantPlaceEntity, key, freed), done };
    },
  };
}
