import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { thresholdAttempt } from '../../shared/domain/budgets/thresholds.ts';
import { DeliveryMessage } from '../../shared/domain/deliveries/delivery-queue.ts';
import { tenantDeliveries } from '../../shared/domain/deliveries/tenant-deliveries.ts';
import { handleByTenant } from '../../shared/domain/deliveries/tenant-messages.ts';
import { approvalAttempt } from '../../shared/domain/run-waits/approval-attempt.ts';
import { taskRequests } from '../../shared/execution/a2a-tasks/task-request.ts';
import { parseMessages } from '../../shared/platform/aws/messages.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { toWorker } from '../../shared/platform/aws/worker.ts';

export const requirements = combineRequirements(
  tenantDeliveries,
  taskRequests,
  thresholdAttempt,
  approvalAttempt,
);

/** Sends events to the webhooks of surfaces, to the callers of tasks, to who watches budgets and to who is asked by runs. A receiver that fails is no error: the delivery has its next time. */
const handle = (event: SQSEvent): Promise<SQSBatchResponse> =>
  handleByTenant(
    parseMessages(DeliveryMessage, event),
    (scope) =>
      tenantDeliveries(scope, {
        taskRequestOf: taskRequests(scope),
        thresholdAttempt: thresholdAttempt(scope),
        approvalAttempt: approvalAttempt(scope),
      }),
    ({ surfaceId, id: deliveryId }) => ({ surfaceId, deliveryId }),
  );

export const handler = toWorker('deliver-webhook', handle);
