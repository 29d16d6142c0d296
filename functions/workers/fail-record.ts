import type { SQSEvent } from 'aws-lambda';
import { runWithLogFields } from '../../shared/core/invocation.ts';
import { log } from '../../shared/core/log.ts';
import { RunMessage, toRunLogFields } from '../../shared/execution/batches/run-message.ts';
import { handleDeadLetter } from '../../shared/execution/record-runs/dead-letter-records.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(handleDeadLetter);

/**
 * Consumes the dead-letter queue: retries each record a few times after a delay, then fails it, so that its batch
 * completes.
 */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(RunMessage, event)) {
    const scope = productionRuntime().scopeOf(message.tenant);
    await runWithLogFields(toRunLogFields(message), async () => {
      const { restarts = 0 } = message;
      log.error('A record arrived in the dead-letter queue', { restarts });
      await handleDeadLetter(scope, message);
    });
  }
}

export const handler = toWorker('fail-record', handle);
