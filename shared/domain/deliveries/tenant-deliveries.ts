/**
 * Attempts the deliveries of a tenant: to webhooks of surfaces, push addresses of A2A tasks, receivers of budgets and of
 * approvals.
 *
 * A worker acquires one of the tenant's places, leases the delivery (`outbox.ts`), loads what it is for, sends, and settles:
 * done, or the next attempt after a longer pause, together a day, or given up. A delivery whose surface or task is gone is
 * removed. If the process crashes after sending, the receiver gets the delivery again, with the same id.
 */

import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Changes } from '../../platform/data/writes.ts';
import { surfaceSecrets } from '../surfaces/secrets/surface-secrets.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import { type AttemptResult, attempt, type DeliveryRequest, type LoadTaskRequest } from './attempt.ts';
import {
  attemptsKept,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryKey,
  deliveryEntity,
  deliveryOutbox,
} from './delivery.ts';
import { deliveryQueue } from './delivery-queue.ts';
import { acquireItem, type Leased, nextAttempt, outboxLease } from './outbox.ts';
import { signWebhookRequest } from './signed-request.ts';
import { handleInPlace } from './tenant-place.ts';

/** How those are attempted that are not for the webhook of a surface. */
interface OtherDeliveries {
  taskRequestOf: LoadTaskRequest;
  /** Undefined if there is nothing to tell any more. */
  thresholdAttempt: (delivery: Delivery) => Promise<AttemptResult | undefined>;
  approvalAttempt: (delivery: Delivery) => Promise<AttemptResult | undefined>;
}

type ClaimedDelivery = Leased<typeof deliveryEntity>;

/** One process at a time has the lease. If it crashes, the receiver may get the delivery twice, with the same id. */
export const deliverer = /* @__PURE__ */ using(
  ['table:write', 'table:delete', surfaceSecrets, deliveryQueue],
  (scope: Scope, { taskRequestOf, thresholdAttempt, approvalAttempt }: OtherDeliveries) => {
    const { table, now } = scope;

    async function loadWebhookRequest(delivery: Delivery): Promise<DeliveryRequest | undefined> {
      const { productId, surfaceId: id } = delivery;
      const surface = await table.get(surfaceEntity, { productId, id });
      if (!surface) return undefined;
      const { webhook } = surface.outbound;
      const secret = webhook && (await surfaceSecrets(scope)(surface)).outbound;
      return signWebhookRequest(delivery, webhook && { url: webhook.url, secret }, now());
    }

    /** Undefined if there is nothing to tell any more. */
    async function attemptDelivery(delivery: Delivery): Promise<AttemptResult | undefined> {
      if (delivery.budget) return thresholdAttempt(delivery);
      if (delivery.approval) return approvalAttempt(delivery);
      const request = await (delivery.taskId === undefined ? loadWebhookRequest : taskRequestOf)(delivery);
      return request && attempt(table.tenant, request, now());
    }

    async function settle(delivery: ClaimedDelivery, result: AttemptResult): Promise<void> {
      const after = decideNext(delivery, result, now());
      const hasLease = outboxLease(deliveryOutbox).isHolder(delivery.leaseUntil);
      await table.commit([table.writes.update(deliveryEntity, delivery, after.changes, hasLease)]);
      if (after.delaySeconds !== undefined)
        await deliveryQueue(scope).sendOrLeave(delivery, after.delaySeconds);
      else if (after.changes.set?.status === 'failed') {
        const { id: deliveryId, surfaceId, executionId } = delivery;
        log.info('A webhook was given up', { deliveryId, surfaceId, executionId, tries: delivery.tries + 1 });
      }
    }

    return async (key: DeliveryKey): Promise<void> => {
      const delivery = await acquireItem(scope, deliveryOutbox, key);
      if (!delivery) return;
      const result = await attemptDelivery(delivery);
      // The clean-up of the surface may have passed before the run ended.
      if (!result) return table.removeAll([deliveryEntity.key(key)]);
      // Removed with its surface, or claimed by another process after the lease.
      await settle(delivery, result).catch(onConditionFailed(undefined));
    };
  },
);

interface AfterAttempt {
  changes: Changes<typeof deliveryEntity>;
  /** Of the message that asks for the next attempt. Without it, the sweep does. */
  delaySeconds?: number;
}

function decideNext(
  { id, attempts, tries }: Delivery,
  { isFinal, ...result }: AttemptResult,
  now: Date,
): AfterAttempt {
  const kept: DeliveryAttempt[] = [...attempts, result].slice(-attemptsKept);
  const set = { attempts: JSON.stringify(kept), tries: tries + 1 };
  const pauseMs = result.error === null || isFinal ? undefined : getPauseMs(tries + 1);
  const remove = ['leaseUntil'] as const;
  if (pauseMs === undefined) {
    const status = result.error === null ? ('delivered' as const) : ('failed' as const);
    return { changes: { set: { ...set, status, nextAttemptAt: null }, remove, removeFromIndex: 2 } };
  }
  const { nextAttemptAt, index, ...message } = nextAttempt(deliveryOutbox, id, { now, pauseMs });
  return { changes: { set: { ...set, nextAttemptAt }, remove, index }, ...message };
}

const seconds = (count: number) => count * 1_000;
const minutes = (count: number) => seconds(count * 60);
const hours = (count: number) => minutes(count * 60);

/** The pauses after failed attempts: together a day, less a quarter of an hour. */
const pausesMs = [
  seconds(30),
  minutes(2),
  minutes(10),
  minutes(30),
  hours(1),
  hours(2),
  hours(4),
  hours(8),
  hours(8),
];

/** The pause after the n-th failed attempt, from 1; undefined after the last one. */
const getPauseMs = (tries: number): number | undefined => pausesMs[tries - 1];

/** A tenant's part of the workers that deliver. */
const pool = { name: 'deliveries', variable: 'DELIVERIES_TENANT_PLACES' };

export const tenantDeliveries = /* @__PURE__ */ using(
  [deliverer, deliveryQueue, 'table:write', 'places:deliveries'],
  (scope: Scope, others: OtherDeliveries) =>
    handleInPlace(scope, {
      pool,
      outbox: deliveryOutbox,
      attempt: deliverer(scope, others),
      send: deliveryQueue(scope).send,
    }),
);
