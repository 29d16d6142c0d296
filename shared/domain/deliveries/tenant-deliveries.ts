import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { type Pool, placeDelaySeconds, takePlace } from '../../platform/tenant-places.ts';
import type { TaskRequestOf } from './attempt.ts';
import { deliverer, earlyMs } from './deliver.ts';
import { type DeliveryMessage, deliveryQueue } from './delivery-queue.ts';
import { postponeSweep } from './postpone-sweep.ts';

/** A tenant's part of the workers that deliver. */
const workerPlaces: Pool = { name: 'deliveries', variable: 'DELIVERIES_TENANT_PLACES' };

/** Handles messages of a tenant in one of its places; without a place, they ask again later. Release it at the end. */
export const tenantDeliveries = /* @__PURE__ */ using(
  [deliverer, deliveryQueue, 'table:write', 'places:deliveries'],
  async (scope: Scope, taskRequestOf: TaskRequestOf) => {
    const place = await takePlace(scope, workerPlaces);
    const handle: (message: DeliveryMessage) => Promise<void> = place
      ? deliverer(scope, taskRequestOf)
      : (message) => waitForPlace(scope, message);
    return { handle, release: async () => place?.release() };
  },
);

/** Asks for the delivery again later. The sweep would only add a message. */
async function waitForPlace(scope: Scope, { waits = 0, ...key }: DeliveryMessage): Promise<void> {
  const delaySeconds = placeDelaySeconds(waits);
  const now = scope.now().getTime();
  const sentAt = new Date(now + delaySeconds * 1_000);
  if (!(await postponeSweep(scope, key, new Date(now + earlyMs), sentAt))) return;
  log.info('The delivery waits for others of its tenant', { waits });
  await deliveryQueue(scope).send(key, delaySeconds, waits + 1);
}
