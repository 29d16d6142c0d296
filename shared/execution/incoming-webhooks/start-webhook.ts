import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentExecutionEntity } from '../agent-runs/agent-execution.ts';
import { type BatchOwner, singleRunId } from '../batches/start-batch.ts';
import { backgroundStarter } from '../targets/start-in-background.ts';
import { toTarget, toTargetInput } from '../targets/target.ts';
import { batchOfDelivery, type WebhookDelivery } from './received-webhook.ts';

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
          : await batchOfDelivery(scope, { ...delivery, deliveryId });
      const id = singleRunId(batchId);
      const target = toTarget(named);
      const isStarted =
        target.kind === 'agent' &&
        (await scope.table.get(agentExecutionEntity, { id }, { consistent: true }));
      // Refused: another process starts it at the same time.
      if (!isStarted) {
        const run = { target, batchId, ...toTargetInput(target, inputs), owner, surface };
        await backgroundStarter(scope)(run, sandbox).catch(ifRefused(undefined));
      }
      return id;
    },
);
