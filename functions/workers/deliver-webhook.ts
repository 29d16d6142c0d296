import type { SQSBatchItemFailure, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { withLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { DeliveryMessage } from '../../shared/domain/deliveries/delivery-queue.ts';
import { tenantDeliveries } from '../../shared/domain/deliveries/tenant-deliveries.ts';
import { taskRequests } from '../../shared/execution/a2a-tasks/task-request.ts';
import { messagesOf, type Received } from '../../shared/platform/aws/messages.ts';
import { requirementsOf } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = requirementsOf(tenantDeliveries, taskRequests);

/** Sends events to the webhooks of surfaces, and to the callers of tasks. A receiver that fails is no error: the delivery has its next time. */
async function handle(event: SQSEvent): Promise<SQSBatchResponse> {
  const byTenant = Map.groupBy(messagesOf(DeliveryMessage, event), ({ message }) => message.tenant);
  const failed = await Promise.all([...byTenant].map(([tenant, received]) => deliver(tenant, received)));
  return { batchItemFailures: failed.flat() };
}

async function deliver(
  tenant: string,
  received: readonly Received<DeliveryMessage>[],
): Promise<SQSBatchItemFailure[]> {
  const scope = productionRuntime().scopeOf(tenant);
  const place = tenantDeliveries(scope, taskRequests(scope));
  const failed = await Promise.all(
    received.map(({ record, message }) =>
      withLogFields({ tenant, surfaceId: message.surfaceId, deliveryId: message.id }, async () => {
        try {
          await (await place).handle(message);
          return [];
        } catch (error) {
          log.error('A delivery could not be attempted and will be retried', { error });
          return [{ itemIdentifier: record.messageId }];
        }
      }),
    ),
  );
  await place.then(
    ({ release }) => release(),
    () => {},
  );
  return failed.flat();
}

export const handler = toWorker('deliver-webhook', handle);
