import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { alertAttempt } from '../../shared/domain/alerts/alert-messages.ts';
import { thresholdAttempt } from '../../shared/domain/budgets/thresholds.ts';
import { deliveryOutbox } from '../../shared/domain/deliveries/delivery.ts';
import { DeliveryMessage } from '../../shared/domain/deliveries/outbox-messages.ts';
import { attemptReceived } from '../../shared/domain/deliveries/outbox-worker.ts';
import { deliverer } from '../../shared/domain/deliveries/tenant-deliveries.ts';
import { approvalAttempt } from '../../shared/domain/run-waits/approval-attempt.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { taskRequests } from '../../shared/protocols/a2a/task-view.ts';

export const requirements = combineRequirements(
  deliverer,
  'places:deliveries',
  taskRequests,
  thresholdAttempt,
  approvalAttempt,
  alertAttempt,
);

/** Sends events to the webhooks of surfaces, to the callers of tasks, to who watches budgets or alerts, and to who is asked by runs. A receiver that fails is no error: the delivery has its next time. */
const handle = (event: SQSEvent): Promise<SQSBatchResponse> =>
  attemptReceived(parseMessages(DeliveryMessage, event), {
    outbox: deliveryOutbox,
    pool: { name: 'deliveries', variable: 'DELIVERIES_TENANT_PLACES' },
    attemptOf: (scope) =>
      deliverer(scope, {
        taskRequestOf: taskRequests(scope),
        thresholdAttempt: thresholdAttempt(scope),
        approvalAttempt: approvalAttempt(scope),
        alertAttempt: alertAttempt(scope),
      }),
    fieldsOf: ({ surfaceId, id: deliveryId }) => ({ surfaceId, deliveryId }),
  });

export const handler = toWorker('deliver-webhook', handle);
