import { sweepKeys } from '../../platform/cleanup/sweeps.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type DeliveryKey, deliveryEntity, deliverySweep } from './delivery.ts';

/** How long a message may wait for a worker before the sweep sends another. */
const resentAfterMs = 10 * 60_000;

/** For a delivery whose message is visible at `sentAt`. @returns whether an attempt was due; otherwise nothing changes */
export async function postponeSweep(
  { table }: Scope,
  key: DeliveryKey,
  due: Date,
  sentAt: Date,
): Promise<boolean> {
  const nextAt = new Date(sentAt.getTime() + resentAfterMs).toISOString();
  const isDue = {
    expression: '#summary.#status = :pending AND #summary.#nextAttemptAt <= :due',
    values: { pending: 'pending', due: due.toISOString() },
  };
  const changes = { index: sweepKeys(deliverySweep, key.id, nextAt) };
  const write = table.writes.update(deliveryEntity, key, changes, isDue);
  return table.commit([write]).then(() => true, ifRefused(false));
}
