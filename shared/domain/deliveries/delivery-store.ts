import * as z from 'zod';
import { conflict, notFound } from '../../core/errors/errors.ts';
import { unixSeconds } from '../../core/time.ts';
import { using } from '../../platform/aws/uses.ts';
import { ConditionFailed } from '../../platform/data/condition-failed.ts';
import { type CursorQuery, cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { combineConditions, exists } from '../../platform/data/writes.ts';
import { webhookEvents } from '../surfaces/surface/webhook-events.ts';
import { surfaceStore } from '../surfaces/surface-store.ts';
import {
  Delivery,
  type DeliveryKey,
  deliveriesPartition,
  deliveryDays,
  deliveryEntity,
  deliveryOutbox,
  deliveryQueue,
} from './delivery.ts';
import { isUnattempted, toOutboxKeys } from './outbox.ts';

const ListedDelivery = Delivery.pick({
  id: true,
  executionId: true,
  status: true,
  attempts: true,
  nextAttemptAt: true,
  createdAt: true,
}).extend({ type: z.enum(webhookEvents) });
export type ListedDelivery = ReturnType<typeof ListedDelivery.parse>;

interface Place {
  productId: string;
  surfaceId: string;
}

export const deliveryStore = /* @__PURE__ */ using(['table:write'], (scope: Scope) => {
  const { table } = scope;

  return {
    /** Newest first. @throws 404 if there is no such surface. */
    async list(
      { productId, surfaceId }: Place,
      query: CursorQuery & { status?: Delivery['status'] | undefined },
    ) {
      await surfaceStore(scope).find(productId, surfaceId);
      const { status } = query;
      const filter = { expression: '#summary.#status = :status', values: { status } };
      const source = { partition: deliveriesPartition(surfaceId), index: 1, kind: 'delivery' } as const;
      const { rows, pagination } = await cursorPage(table, { ...source, ...(status && { filter }) }, query);
      return { deliveries: rows.map((row) => ListedDelivery.parse(row)), pagination };
    },
  };
});

export const deliveryResender = /* @__PURE__ */ using(['table:write', deliveryQueue], (scope: Scope) => {
  const { table, now } = scope;

  /** Begins again, at once and for another day. @throws 404; 409 while an attempt is in progress. */
  return async ({ productId, surfaceId }: Place, id: string): Promise<ListedDelivery> => {
    await surfaceStore(scope).find(productId, surfaceId);
    const key: DeliveryKey = { surfaceId, id };
    const at = now();
    const nextAttemptAt = at.toISOString();
    const ttl = unixSeconds(at) + deliveryDays * 86_400;
    const write = table.writes.update(
      deliveryEntity,
      key,
      {
        set: { status: 'pending', tries: 0, nextAttemptAt, ttl },
        remove: ['leaseUntil'],
        index: toOutboxKeys(deliveryOutbox.sweeping, id, nextAttemptAt),
      },
      combineConditions(exists, isOfSurface, isUnattempted(deliveryOutbox, at)),
    );
    const delivery = await table.updateAndGet(deliveryEntity, write).catch((error) => {
      if (!(error instanceof ConditionFailed)) throw error;
      throw error.item && !error.item.taskId ? createInProgressError() : notFound('Delivery');
    });
    await deliveryQueue(scope).sendOrLeave(key);
    return ListedDelivery.parse({ ...delivery, attempts: JSON.stringify(delivery.attempts) });
  };
});

const isOfSurface = { expression: 'attribute_not_exists(#taskId)' };

const createInProgressError = () =>
  conflict('An attempt of the delivery is in progress. Try again in a minute');
