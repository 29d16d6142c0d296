import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { unixSeconds } from '../../core/time.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentExecutionEntity } from '../agent-runs/agent-execution.ts';
import { type BatchOwner, toSingleRunId } from '../batches/start-batch.ts';
import { backgroundStarter } from './start-in-background.ts';
import { toTarget, toTargetInput } from './target.ts';

export interface WebhookRun {
  /** Exactly one of the two is set. */
  flowId: string | null;
  agentId: string | null;
  inputs: Record<string, unknown>;
  owner: BatchOwner;
  surface: RunSurface;
  /** Without an id of the delivery it runs each time. */
  delivery: Omit<WebhookDelivery, 'deliveryId'> & { deliveryId: string | undefined };
}

/** A delivery that was received before starts what is not there yet, as after a crash between the two. */
export const webhookStarter = /* @__PURE__ */ using(
  [backgroundStarter, 'table:write'],
  (scope: Scope) =>
    /** @returns the id of the execution. @throws 404 if the flow or agent does not exist */
    async ({ delivery, inputs, owner, surface, ...named }: WebhookRun, sandbox: Sandbox): Promise<string> => {
      const { deliveryId } = delivery;
      const batchId =
        deliveryId === undefined
          ? scope.newId('batch')
          : await findDeliveryBatch(scope, { ...delivery, deliveryId });
      const id = toSingleRunId(batchId);
      const target = toTarget(named);
      const isStarted =
        target.kind === 'agent' &&
        (await scope.table.get(agentExecutionEntity, { id }, { consistent: true }));
      // Refused: another process starts it at the same time.
      if (!isStarted) {
        const run = { target, batchId, ...toTargetInput(target, inputs), owner, surface };
        await backgroundStarter(scope)(run, sandbox).catch(onConditionFailed(undefined));
      }
      return id;
    },
);

/** Longer than senders repeat a delivery: GitHub lets people do so for three days, and Stripe retries as long. */
const keptSeconds = 7 * 86_400;

/** One delivery of one item of a webhook surface, by the id that its sender gave it. */
interface WebhookDelivery {
  surfaceId: string;
  endpointSlug: string;
  deliveryId: string;
}

/** A sender's id may be longer than a key. */
const hashDelivery = ({ endpointSlug, deliveryId }: WebhookDelivery) =>
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
    PK: tenantPartition(`SURFACE#${delivery.surfaceId}#RECEIVED#${hashDelivery(delivery)}`),
    SK: 'RECEIVED',
  }),
});

/** The batch of a delivery: the same one each time, also in parallel. */
export async function findDeliveryBatch(
  { table, now, newId }: Scope,
  delivery: WebhookDelivery,
): Promise<string> {
  const [batchId, at] = [newId('batch'), now()];
  const fresh = { batchId, receivedAt: at.toISOString(), ttl: unixSeconds(at) + keptSeconds, ...delivery };
  const isFirst = await table
    .commit([table.writes.insert(receivedWebhookEntity, fresh)])
    .then(() => true)
    .catch(onConditionFailed(false));
  if (isFirst) return batchId;
  const received = await table.get(receivedWebhookEntity, delivery, { consistent: true });
  // Expired in between.
  return received ? received.batchId : findDeliveryBatch({ table, now, newId }, delivery);
}
