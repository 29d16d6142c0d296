import { log } from '../../core/log.ts';
import { mapConcurrently } from '../../core/map-concurrently.ts';
import { requirementsOf } from '../../platform/aws/uses.ts';
import { dueForSweep, sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Runtime } from '../../platform/runtime.ts';
import { type DeliveryKey, deliveryEntity, deliverySweep } from './delivery.ts';
import { deliveryQueue } from './delivery-queue.ts';

export const sweepRequirements = requirementsOf('table:write', deliveryQueue);

/** How long a message may wait for a worker before the sweep sends another. */
const resentAfterMs = 10 * 60_000;
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
  const { table } = scope;
  await deliveryQueue(scope).send(key);
  const nextAt = new Date(due.getTime() + resentAfterMs).toISOString();
  // Unless it was attempted meanwhile.
  const isDue = {
    expression: '#summary.#status = :pending AND #summary.#nextAttemptAt <= :due',
    values: { pending: 'pending', due: due.toISOString() },
  };
  const write = table.writes.update(
    deliveryEntity,
    key,
    { index: sweepKeys(deliverySweep, key.id, nextAt) },
    isDue,
  );
  await table.commit([write]).catch(ifRefused(undefined));
}
