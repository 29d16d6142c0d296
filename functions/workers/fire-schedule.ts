import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { runWithLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { FireMessage } from '../../shared/execution/schedules/fire-message.ts';
import { scheduleFirer } from '../../shared/execution/schedules/fire-schedule.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(scheduleFirer);

/** Fires the schedules that EventBridge Scheduler wakes, if they are due. */
async function handle(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const timeLeftMs = () => context.getRemainingTimeInMillis();
  const failed = await Promise.all(
    parseMessages(FireMessage, event).map(({ record, message: { tenant, scheduleId } }) =>
      runWithLogFields({ tenant, scheduleId }, async () => {
        try {
          await scheduleFirer(productionRuntime().scopeOf(tenant))(scheduleId, timeLeftMs);
        } catch (error) {
          log.error('A schedule could not fire and will be retried', { error });
          return { itemIdentifier: record.messageId };
        }
      }),
    ),
  );
  return { batchItemFailures: failed.filter((each) => each !== undefined) };
}

export const handler = toWorker('fire-schedule', handle);
