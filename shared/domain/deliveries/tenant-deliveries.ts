import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { takePlace } from '../../platform/tenant-places.ts';
import type { TaskRequestOf } from './attempt.ts';
import { deliverer, earlyMs } from './deliver.ts';
import { type DeliveryMessage, deliveryQueue } from './delivery-queue.ts';
import { postponeSweep } from './postpone-sweep.ts';

/**
 * Handles messages of a tenant that arrived together, in one of the places that the tenant has. Without a place, they
 * ask again later. Release it when all are handled.
 */
export const tenantDeliveries = /* @__PURE__ */ using(
  [deliverer, deliveryQueue, 'table:write', 'places:deliveries'],
  async (scope: Scope, taskRequestOf: TaskRequestOf) => {
    const place = await takePlace(scope, 'deliveries');
    const handle: (message: DeliveryMessage) => Promise<void> = place
      ? deliverer(scope, taskRequestOf)
      : (message) => waitForPlace(scope, message);
    return { handle, release: async () => place?.release() };
  },
);

/** Asks for the delivery again, after 2 seconds, 4 and so on up to a minute. The sweep would only add a message. */
async function waitForPlace(scope: Scope, { waits = 0, ...key }: DeliveryMessage): Promise<void> {
  const delaySeconds = Math.min(60, 2 ** (waits + 1));
  const now = scope.now().getTime();
  const sentAt = new Date(now + delaySeconds * 1_000);
  if (!(await postponeSweep(scope, key, new Date(now + earlyMs), sentAt))) return;
  log.info('The delivery waits for others of its tenant', { waits });
  await deliveryQueue(scope).send(key, delaySeconds, waits + 1);
}
