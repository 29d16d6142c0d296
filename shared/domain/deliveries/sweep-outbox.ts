import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { log } from '../../core/log.ts';
import { listDue } from '../../platform/cleanup/sweeps.ts';
import type { StoredKey } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';

const atOnce = 10;
/** Reserved for what began. */
const reserveMs = 15_000;

export interface Sweeping {
  sweep: string;
  /** Sends a message for an item. */
  resend: (scope: Scope, item: StoredKey, due: Date) => Promise<void>;
}

/** Sends a message for each item that is due and has none: after long pauses, and after crashes. */
export async function sweepOutbox(
  { scopeOf }: Runtime,
  { sweep, resend }: Sweeping,
  due: Date,
  timeLeftMs: () => number,
): Promise<void> {
  for await (const page of listDue(scopeOf('').table, sweep, due)) {
    const work = ({ tenant, ...item }: (typeof page)[number]) =>
      resend(scopeOf(tenant), item, due).catch((error) =>
        log.error('A delivery could not be swept', { error, tenant, deliveryId: item.SK }),
      );
    for await (const _done of mapConcurrently(page, atOnce, work));
    if (timeLeftMs() < reserveMs) return;
  }
}
