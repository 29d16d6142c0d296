import type { SQSEvent } from 'aws-lambda';
import { addLogFields } from '../../shared/core/invocation.ts';
import { batchPlanner, PlanMessage } from '../../shared/execution/batches/batch-plan.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(batchPlanner);

/** Enqueues the records of a batch, one page per message. The next page is a message of its own. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(PlanMessage, event)) {
    addLogFields({ tenant: message.tenant, batchId: message.batchId });
    const planner = batchPlanner(productionRuntime().scopeOf(message.tenant));
    const next = await planner.plan(message);
    if (next) await planner.enqueuePlan(next);
  }
}

export const handler = toWorker('plan-batch', handle);
