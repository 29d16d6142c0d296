import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { unixSeconds } from '../../core/time.ts';
import { originOfSurface, type RunLabels } from '../../domain/runs/run-origin.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { onConditionFailed } from '../../platform/data/condition-failed.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import { tenantPartition } from '../../platform/data/keys.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { agentExecutionEntity } from '../agent-runs/agent-execution.ts';
import { agentToRun } from '../agent-runs/agent-input.ts';
import { agentRunQueue } from '../agent-runs/agent-run-queue.ts';
import { startRun } from '../agent-runs/start-run.ts';
import { type BatchOwner, batchDefaults, batchStarter, toSingleRunId } from '../batches/start-batch.ts';
import { type Target, type TargetInput, toTarget, toTargetInput } from './target.ts';

export interface BackgroundRun extends TargetInput {
  target: Target;
  /** A flow runs as a batch of one, of this id. The execution is `toSingleRunId` of it, also for an agent. */
  batchId: string;
  owner: BatchOwner;
  surface: RunSurface;
  labels?: RunLabels | undefined;
  /** What is written in the transaction that starts the run. */
  alsoWrite?: readonly Write[];
}

/** A recorded run is run to its end: if its message gets lost, a sweep sends it again. */
export const backgroundStarter = /* @__PURE__ */ using(
  [batchStarter, agentToRun, agentRunQueue, 'table:write', 'table:delete', 'payloads:read', 'payloads:write'],
  (scope: Scope) => {
    async function startAgent(run: BackgroundRun, sandbox: Sandbox): Promise<void> {
      const { target, batchId, inputs, messages = [], owner, surface, labels, alsoWrite } = run;
      const id = toSingleRunId(batchId);
      const agent = await agentToRun(scope)(target.id, { environment: owner.environment });
      const request = {
        id,
        agent,
        inputs,
        messages,
        owner,
        permissions: [],
        surfaceType: surface.type,
        surface,
        origin: originOfSurface(surface, labels),
        background: true,
        alsoWrite,
      };
      await startRun(scope, request, sandbox);
      await agentRunQueue(scope).send(id);
    }

    /**
     * @throws 404 if the flow or agent does not exist; ConditionFailed or BatchRefused if the agent's run exists, or
     * `alsoWrite` is refused. A flow's batch that exists is left as it is.
     */
    return async (run: BackgroundRun, sandbox: Sandbox): Promise<void> => {
      if (run.target.kind === 'agent') return startAgent(run, sandbox);
      const { target, batchId: id, inputs = {}, messages, owner, surface, labels, alsoWrite = [] } = run;
      const input = {
        inputs,
        ...(messages && { messages }),
        surface,
        origin: originOfSurface(surface, labels),
        alsoWrite,
      };
      await batchStarter(scope).startOnce(
        target.id,
        { id, records: null, ...input, options: batchDefaults },
        owner,
      );
    };
  },
);

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
