import * as z from 'zod';
import { using } from '../../platform/aws/uses.ts';
import type { DeliveryKey } from './delivery.ts';
import { outboxQueue } from './outbox-queue.ts';

export const DeliveryMessage = z.object({
  tenant: z.string(),
  surfaceId: z.string(),
  id: z.string(),
  /** How often it found no place of the tenant. */
  waits: z.int().optional(),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

export const deliveryQueue = /* @__PURE__ */ using(
  ['queue:deliveries'],
  /* @__PURE__ */ outboxQueue<DeliveryKey>('DELIVERIES_QUEUE_URL', ({ surfaceId, id }) => ({
    surfaceId,
    id,
  })),
);
