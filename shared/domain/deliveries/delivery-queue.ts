import * as z from 'zod';
import { log } from '../../core/log.ts';
import { groupOf, send } from '../../platform/aws/queues.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { DeliveryKey } from './delivery.ts';

export const DeliveryMessage = z.object({
  tenant: z.string(),
  surfaceId: z.string(),
  id: z.string(),
  /** How often it found no place of the tenant. */
  waits: z.int().optional(),
});
export type DeliveryMessage = z.infer<typeof DeliveryMessage>;

/** SQS delays a message by 15 minutes at most. */
export const delaySecondsMax = 900;

/** The group is the tenant, so that slow receivers of one tenant do not delay the messages of others (SQS "fair queues"). */
export const deliveryQueue = /* @__PURE__ */ using(
  ['queue:deliveries'],
  ({ table: { tenant } }: Pick<Scope, 'table'>) => ({
    send: ({ surfaceId, id }: DeliveryKey, delaySeconds = 0, waits?: number): Promise<void> => {
      const message: DeliveryMessage = { tenant, surfaceId, id, ...(waits && { waits }) };
      return send('DELIVERIES_QUEUE_URL', message, { delaySeconds, group: groupOf(tenant) });
    },

    /** For a delivery whose sweep is due shortly after: a failure only delays it. */
    async sendOrLeave({ surfaceId, id }: DeliveryKey, delaySeconds = 0): Promise<void> {
      await this.send({ surfaceId, id }, delaySeconds).catch((error) =>
        log.warn('The message of a delivery could not be sent; the sweep sends it', {
          error,
          deliveryId: id,
        }),
      );
    },
  }),
);
