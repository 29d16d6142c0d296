import type { SQSEvent } from 'aws-lambda';
import { runWithLogFields } from '../../shared/core/invocation.ts';
import { toRunLogFields } from '../../shared/execution/batches/run-message.ts';
import { fireTimer, TimerMessage } from '../../shared/execution/batches/run-timer.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements('table:read', 'queue:runs', 'queue:wakes');

/** Resumes suspended runs when their timer fires. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(TimerMessage, event)) {
    const scope = productionRuntime().scopeOf(message.run.tenant);
    await runWithLogFields(toRunLogFields(message.run), () => fireTimer(scope, message));
  }
}

export const handler = toWorker('wake-run', handle);
