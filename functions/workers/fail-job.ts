import type { SQSEvent } from 'aws-lambda';
import { log } from '../../shared/core/log.ts';
import { JobMessage } from '../../shared/domain/jobs/job-queue.ts';
import { exportFailer } from '../../shared/execution/exports/write-export.ts';
import { importFailer } from '../../shared/execution/imports/end-import.ts';
import { combineRequirements } from '../../shared/platform/aws/uses.ts';
import { parseMessages, toWorker } from '../../shared/platform/aws/worker.ts';
import { productionRuntime } from '../../shared/platform/runtime.ts';

export const requirements = combineRequirements(importFailer, exportFailer);

/** Consumes the dead-letter queue of jobs: the import or export has failed. What it has stored stays. */
async function handle(event: SQSEvent): Promise<void> {
  for (const { message } of parseMessages(JobMessage, event)) {
    log.error('A message of a job arrived in the dead-letter queue', { ...message });
    const scope = productionRuntime().scopeOf(message.tenant);
    await (message.part === 'write' ? exportFailer : importFailer)(scope)(message.id);
  }
}

export const handler = toWorker('fail-job', handle);
