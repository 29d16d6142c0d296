/**
 * Attempts the deliveries of a tenant: to webhooks of surfaces, push addresses of A2A tasks, receivers of budgets and of
 * approvals.
 *
 * A worker (`outbox-worker.ts`) leases the delivery (`outbox.ts`), loads what it is for, sends, and settles: done, or the next
 * attempt after a longer pause, together a day, or given up. A delivery whose surface or task is gone is removed. If the process
 * crashes after sending, the receiver gets the delivery again, with the same id.
 */

import { log } from '../../core/log.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { surfaceSecrets } from '../surfaces/secrets/surface-secrets.ts';
import { surfaceEntity } from '../surfaces/surface/surface.ts';
import {
  attemptsKept,
  type Delivery,
  type DeliveryKey,
  deliveryEntity,
  deliveryOutbox,
  deliveryQueue,
} from './delivery.ts';
import { attemptItem, hasLease, type Leased, scheduleAttempt } from './outbox.ts';
import {
  type AttemptResult,
  attempt,
  type DeliveryRequest,
  type LoadTaskRequest,
  signWebhookRequest,
} from './signed-request.ts';

/** How those are attempted that are not for the webhook of a surface. */
interface OtherDeliveries {
  taskRequestOf: LoadTaskRequest;
  /** Undefined if there is nothing to tell any more. */
  thresholdAttempt: (delivery: Delivery) => Promise<AttemptResult | undefined>;
  approvalAttempt: (delivery: Delivery) => Promise<AttemptResult | undefined>;
  alertAttempt: (delivery: Delivery) => Promise<AttemptResult | undefined>;
}

type LeasedDelivery = Leased<typeof deliveryEntity>;

/** One process at a time has the lease. If it crashes, the receiver may get the delivery twice, with the same id. */
export const deliverer = /* @__PURE__ */ using(
  ['table:write', 'table:delete', surfaceSecrets, deliveryQueue],
  (scope: Scope, { taskRequestOf, thresholdAttempt, approvalAttempt, alertAttempt }: OtherDeliveries) => {
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
      if (delivery.alert) return alertAttempt(delivery);
      if (delivery.approval) return approvalAttempt(delivery);
      const request = await (delivery.taskId === undefined ? loadWebhookRequest : taskRequestOf)(delivery);
      return request && attempt(table.tenant, request, now());
    }

    async function settle(delivery: LeasedDelivery, result: AttemptResult | undefined): Promise<void> {
      // The clean-up of the surface may have passed before the run ended.
      if (!result) return table.removeAll([deliveryEntity.key(delivery)]);
      const { isFinal, ...attempted } = result;
      const tries = delivery.tries + 1;
      const attempts = JSON.stringify([...delivery.attempts, attempted].slice(-attemptsKept));
      const pauseMs = attempted.error === null || isFinal ? undefined : getPauseMs(tries);
      if (pauseMs !== undefined)
        return scheduleAttempt(scope, deliveryOutbox, delivery, { pauseMs, set: { attempts, tries } });
      const status = attempted.error === null ? ('delivered' as const) : ('failed' as const);
      const changes = {
        set: { attempts, tries, status, nextAttemptAt: null },
        remove: ['leaseUntil'] as const,
        removeFromIndex: 2 as const,
      };
      const isLeased = hasLease(deliveryOutbox, delivery);
      await table.commit([table.writes.update(deliveryEntity, delivery, changes, isLeased)]);
      if (status === 'delivered') return;
      const { id: deliveryId, surfaceId, executionId } = delivery;
      log.info('A webhook was given up', { deliveryId, surfaceId, executionId, tries });
    }

    return (key: DeliveryKey): Promise<void> =>
      attemptItem(scope, deliveryOutbox, key, { attempt: attemptDelivery, settle });
  },
);

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
