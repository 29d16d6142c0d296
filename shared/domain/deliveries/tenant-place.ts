import { log } from '../../core/log.ts';
import type { AnyEntity, KeyOf } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { acquirePlace, type Pool, placeDelaySeconds } from '../../platform/tenant-places.ts';
import { earlyMs, type Outbox, postponeSweep } from './outbox.ts';

interface Work<E extends AnyEntity, Key> {
  pool: Pool;
  outbox: Outbox<E>;
  attempt: (key: Key) => Promise<void>;
  /** Asks for the attempt again. */
  send: (key: Key, delaySeconds: number, waits: number) => Promise<void>;
}

/** Handles messages of a tenant in one of its places; without a place, they ask again later. Release it at the end. */
export async function handleInPlace<E extends AnyEntity, Key extends KeyOf<E> & { id: string }>(
  scope: Scope,
  { pool, outbox, attempt, send }: Work<E, Key>,
) {
  const place = await acquirePlace(scope, pool);

  /** The sweep would only add a message. */
  async function wait(key: Key, waits: number): Promise<void> {
    const delaySeconds = placeDelaySeconds(waits);
    const now = scope.now().getTime();
    const times = { due: new Date(now + earlyMs), sentAt: new Date(now + delaySeconds * 1_000) };
    if (!(await postponeSweep(scope, outbox, key, times))) return;
    log.info('A delivery waits for others of its tenant', { waits, pool: pool.name });
    await send(key, delaySeconds, waits + 1);
  }

  return {
    handle: (key: Key, waits = 0): Promise<void> => (place ? attempt(key) : wait(key, waits)),
    release: async () => place?.release(),
  };
}
