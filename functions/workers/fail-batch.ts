import type { SQSEvent } from 'aws-lambda';
import { messagesOf } from '../../shared/aws/messages.ts';
import { PlanMessage } from '../../shared/batches/batch-plan.ts';
import { batchStore } from '../../shared/batches/batch-store.ts';
import { ApiError } from '../../shared/http/errors.ts';
import { log } from '../../shared/log.ts';
import { productionRuntime } from '../../shared/runtime.ts';

/** Takes the plan messages that were given up on: their batches are failed, so that nobody waits for them. */
export async function handler(event: SQSEvent): Promise<void> {
  for (const { message } of messagesOf(PlanMessage, event)) {
    const { tenant, batchId } = message;
    log.error('A batch could not be planned', { batchId });
    try {
      await batchStore(productionRuntime().scopeOf(tenant)).stop(
        batchId,
        'failed',
        'The records could not be planned',
      );
    } catch (error) {
      // 404 or 409: the batch is gone or over, and nothing is left to do.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
