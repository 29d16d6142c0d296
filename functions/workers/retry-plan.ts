import type { SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { PlanMessage } from '../../shared/execution/batches/batch-plan.ts';
import { handleFailedPlan } from '../../shared/execution/batches/stalled-batches.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements('table:write');

/** Consumes the dead-letter queue of the planner: the sweep plans the batch again, and fails it after a day. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(PlanMessage, event)) {
    log.error('A plan message arrived in the dead-letter queue', { ...message });
    await handleFailedPlan(productionRuntime().scopeOf(message.tenant), message);
  }
}

export const handler = toWorker('retry-plan', handle);
