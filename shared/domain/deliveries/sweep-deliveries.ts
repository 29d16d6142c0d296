import { mapConcurrently } from '../../core/concurrency/map-concurrently.ts';
import { log } from '../../core/log.ts';
import { requirementsOf } from '../../platform/aws/uses.ts';
import { dueForSweep } from '../../platform/cleanup/sweeps.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { type DeliveryKey, deliverySweep } from './delivery.ts';
import { deliveryQueue } from './delivery-queue.ts';
import { postponeSweep } from './postpone-sweep.ts';

export const sweepRequirements = requirementsOf('table:write', deliveryQueue);

const atOnce = 10;
/** Reserved for what began. */
const reserveMs = 15_000;

/** Sends a message for each delivery that is due and has none: after long pauses, and after crashes. */
export async function sweepDeliveries(
  { scopeOf }: Runtime,
  due: Date,
  timeLeftMs: () => number,
): Promise<void> {
  for await (const page of dueForSweep(scopeOf('').table, deliverySweep, due)) {
    const work = ({ tenant, PK, SK: id }: (typeof page)[number]) =>
      resend(scopeOf(tenant), { surfaceId: surfaceIdIn(PK), id }, due).catch((error) =>
        log.error('A delivery could not be swept', { error, tenant, deliveryId: id }),
      );
    for await (const _done of mapConcurrently(page, atOnce, work));
    if (timeLeftMs() < reserveMs) return;
  }
}

/** Of a partition of deliveries: it ends with `SURFACE#<id>#DELIVERIES`. */
const surfaceIdIn = (PK: string) => PK.split('#').at(-2) ?? '';

async function resend(scope: Scope, key: DeliveryKey, due: Date): Promise<void> {
  await deliveryQueue(scope).send(key);
  await postponeSweep(scope, key, due, due);
}
