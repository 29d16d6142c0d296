import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { withLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { deliverer } from '../../shared/domain/deliveries/deliver.ts';
import { DeliveryMessage } from '../../shared/domain/deliveries/delivery-queue.ts';
import { taskRequests } from '../../shared/execution/a2a-tasks/task-request.ts';
import { messagesOf } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = requirementsOf(deliverer, taskRequests);

/** Sends events to the webhooks of surfaces, and to the callers of tasks. A receiver that fails is no error: the delivery has its next time. */
async function handle(event: SQSEvent): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    messagesOf(DeliveryMessage, event).map(({ record, message: { tenant, surfaceId, id } }) =>
      withLogFields({ tenant, surfaceId, deliveryId: id }, async () => {
        try {
          const scope = productionRuntime().scopeOf(tenant);
          await deliverer(scope, taskRequests(scope))({ surfaceId, id });
        } catch (error) {
          log.error('A delivery could not be attempted and will be retried', { error });
          return { itemIdentifier: record.messageId };
        }
      }),
    ),
  );
  return { batchItemFailures: failed.filter((each) => each !== undefined) };
}

export const handler = toWorker('deliver-webhook', handle);
