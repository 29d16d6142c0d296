import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import type { RunSurface } from '../../domain/surfaces/surface/run-surface.ts';
import { using } from '../../platform/aws/uses.ts';
import { ifRefused } from '../../platform/data/condition-failed.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { agentRunQueue } from '../agent-runs/agent-run-queue.ts';
import { agentExecutionEntity } from '../agent-runs/executions/agent-execution.ts';
import { startRun } from '../agent-runs/start-run.ts';
import { surfaceRequest } from '../agent-runs/surface-request.ts';
import { agentToRun } from '../agent-runs/tools/agent-to-run.ts';
import { type BatchOwner, batchDefaults, batchStarter, singleRunId } from '../batches/batch-start.ts';
import { batchOfDelivery, type Delivery } from './received-webhook.ts';

export interface WebhookRun {
  /** Exactly one of the two is set. */
  flowId: string | null;
  agentId: string | null;
  inputs: Record<string, unknown>;
  owner: BatchOwner;
  surface: RunSurface;
  /** Without an id of the delivery it runs each time. */
  delivery: Omit<Delivery, 'deliveryId'> & { deliveryId: string | undefined };
}

/**
 * Starts runs in the background. A run that is recorded is run to its end: if its message gets lost, a sweep sends it
 * again. A delivery that was received before starts what is not there yet, as after a crash between the two.
 */
export const webhookStarter = /* @__PURE__ */ using(
  [batchStarter, agentToRun, agentRunQueue, 'table:write', 'payloads'],
  (scope: Scope) => {
    const { table } = scope;

    async function startAgent(
      agentId: string,
      id: string,
      { inputs, owner, surface }: WebhookRun,
      sandbox: Sandbox,
    ) {
      if (await table.get(agentExecutionEntity, { id }, { consistent: true })) return;
      const agent = await agentToRun(scope)(agentId, { environment: owner.environment });
      const request = { ...surfaceRequest(surface, inputs), id, agent, owner, background: true };
      const run = await startRun(scope, request, sandbox).catch(ifRefused(undefined));
      // Refused: another process starts it at the same time.
      if (run) await agentRunQueue(scope).send(id);
    }

    /** @returns the id of the execution. @throws 404 if the flow or agent does not exist */
    return async (run: WebhookRun, sandbox: Sandbox): Promise<string> => {
      const { delivery, flowId, agentId, inputs, owner, surface } = run;
      const { deliveryId } = delivery;
      const batchId =
        deliveryId === undefined
          ? scope.newId('batch')
          : await batchOfDelivery(scope, { ...delivery, deliveryId });
      const executionId = singleRunId(batchId);
      if (agentId !== null) await startAgent(agentId, executionId, run, sandbox);
      else {
        const batch = { id: batchId, records: null, inputs, surface, options: batchDefaults };
        await batchStarter(scope).startOnce(flowId ?? '', batch, owner);
      }
      return executionId;
    };
  },
);
