import type { SQSEvent } from 'aws-lambda';
import { runWithLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { toRunLogFields } from '../../shared/execution/batches/run-message.ts';
import { TimerMessage } from '../../shared/execution/batches/run-timer.ts';
import { handleDeadLetter } from '../../shared/execution/record-runs/dead-letter-records.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(handleDeadLetter);

/**
 * Consumes the dead-letter queue of timers: sets each timer again a few times after a delay, then fails its record, so
 * that its batch completes.
 */
async function handle(event: SQSEvent): Promise<void> {
  for (const {
    message: { run },
  } of parseMessages(TimerMessage, event)) {
    const scope = productionRuntime().scopeOf(run.tenant);
    await runWithLogFields(toRunLogFields(run), async () => {
      log.error('A timer arrived in the dead-letter queue', { ...run });
      await handleDeadLetter(scope, run);
    });
  }
}

export const handler = toWorker('retry-wake', handle);
