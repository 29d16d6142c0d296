import { createHash } from 'node:crypto';
import * as z from 'zod';
import { unixSeconds } from '../../core/time.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';

/** Longer than senders repeat a delivery: GitHub lets people do so for three days, and Stripe retries as long. */
const keptSeconds = 7 * 86_400;

/** One delivery of one item of a webhook surface, by the id that its sender gave it. */
export interface WebhookDelivery {
  surfaceId: string;
  endpointSlug: string;
  deliveryId: string;
}

/** A sender's id may be longer than a key. */
const hashOf = ({ endpointSlug, deliveryId }: WebhookDelivery) =>
  createHash('sha256').update(`${endpointSlug}\0${deliveryId}`).digest('hex');

export const receivedWebhookEntity = defineEntity({
  type: 'receivedWebhook',
  schema: z.object({
    /** The batch that runs it, or would if it ran a flow. The id of its run derives from it. */
    batchId: z.string(),
    receivedAt: z.string(),
    ttl: z.int(),
  }),
  key: (delivery: WebhookDelivery) => ({
    PK: tenantPartition(`SURFACE#${delivery.surfaceId}#RECEIVED#${hashOf(delivery)}`),
    SK: 'RECEIVED',
  }),
});

/** The batch of a delivery: the same one each time, also in parallel. */
export async function batchOfDelivery(
  { table, now, newId }: Scope,
  delivery: WebhookDelivery,
): Promise<string> {
  const [batchId, at] = [newId('batch'), now()];
  const fresh = { batchId, receivedAt: at.toISOString(), ttl: unixSeconds(at) + keptSeconds, ...delivery };
  const isFirst = await table
    .commit([table.writes.insert(receivedWebhookEntity, fresh)])
    .then(() => true)
    .catch(ifRefused(false));
  if (isFirst) return batchId;
  const received = await table.get(receivedWebhookEntity, delivery, { consistent: true });
  // Expired in between.
  return received ? received.batchId : batchOfDelivery({ table, now, newId }, delivery);
}
