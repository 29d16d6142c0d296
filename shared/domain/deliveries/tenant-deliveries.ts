import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { deliverer, type OtherDeliveries } from './deliver.ts';
import { deliveryOutbox } from './delivery.ts';
import { deliveryQueue } from './delivery-queue.ts';
import { inTenantPlace } from './tenant-place.ts';

/** A tenant's part of the workers that deliver. */
const pool = { name: 'deliveries', variable: 'DELIVERIES_TENANT_PLACES' };

export const tenantDeliveries = /* @__PURE__ */ using(
  [deliverer, deliveryQueue, 'table:write', 'places:deliveries'],
  (scope: Scope, others: OtherDeliveries) =>
    inTenantPlace(scope, {
      pool,
      outbox: deliveryOutbox,
      attempt: deliverer(scope, others),
      send: deliveryQueue(scope).send,
    }),
);
